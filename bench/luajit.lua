-- SPDX-License-Identifier: GPL-3.0-or-later
-- What LuaJIT is used for, less than a tenth of a second of it: numbers in loops that are compiled, tables, strings, calls, and
-- work of the garbage collector's.

local function spectral(n)
  local function a(i, j)
    local ij = i + j - 1
    return 1 / (ij * (ij - 1) * 0.5 + i)
  end
  local u, v = {}, {}
  for i = 1, n do u[i] = 1 end
  for _ = 1, 6 do
    for i = 1, n do
      local sum = 0
      for j = 1, n do sum = sum + u[j] * a(i, j) end
      v[i] = sum
    end
    u, v = v, u
  end
  return u[1]
end

local function trees(depth)
  if depth == 0 then return {} end
  return { trees(depth - 1), trees(depth - 1) }
end

local function count(tree)
  return tree[1] and 1 + count(tree[1]) + count(tree[2]) or 1
end

local function words(n)
  local seen, state = {}, 42
  for _ = 1, n do
    state = (state * 1103515245 + 12345) % 2147483648
    local word = ("w%d"):format(state % 5000):upper():reverse()
    seen[word] = (seen[word] or 0) + #word:gsub("1", "one")
  end
  return seen
end

local function sorted(n)
  local list, state = {}, 7
  for i = 1, n do
    state = (state * 1103515245 + 12345) % 2147483648
    list[i] = state
  end
  table.sort(list, function(x, y) return x < y end)
  return list[1]
end

function work()
  spectral(1500)
  for _ = 1, 3 do count(trees(15)) end
  words(120000)
  sorted(60000)
end
