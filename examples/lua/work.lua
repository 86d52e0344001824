-- SPDX-License-Identifier: GPL-3.0-or-later
-- Work whose split is known: heavy() takes three times what light() takes, in the same loop.

local function light(rounds)
  local sum = 0
  for i = 1, rounds do
    sum = (sum + i * 7) % 1000003
  end
  return sum
end

local function heavy(rounds)
  local sum = 0
  for i = 1, 3 * rounds do
    sum = (sum + i * 7) % 1000003
  end
  return sum
end

-- Functions of the host's: mix() works in C, each() calls back.
local function native(rounds)
  return mix(rounds)
end

local function back(rounds)
  local sum = 0
  each(3, function(i)
    sum = sum + light(rounds // 3)
  end)
  return sum
end

-- A stack of its own, an error that unwinds one, a tail call.
local function generator(rounds)
  coroutine.yield(light(rounds))
  return heavy(rounds)
end

local function fails(rounds)
  error(light(rounds))
end

local function tail(rounds)
  return heavy(rounds)
end

local rounds = 20000
repeat
  -- Rounds of one length could keep step with the sampler's.
  local n = rounds * math.random(50, 150) // 100
  light(n)
  heavy(n)
  native(n)
  back(n)
  local step = coroutine.wrap(generator)
  step(n)
  step(n)
  pcall(fails, n)
  tail(n)
until over()
