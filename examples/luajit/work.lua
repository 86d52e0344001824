-- SPDX-License-Identifier: GPL-3.0-or-later
-- Work whose split is known: heavy() takes three times what light() takes, in the same loop, compiled and interpreted.

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

local function interpreted_light(rounds)
  local sum = 0
  for i = 1, rounds do
    sum = (sum + i * 7) % 1000003
  end
  return sum
end

local function interpreted_heavy(rounds)
  local sum = 0
  for i = 1, 3 * rounds do
    sum = (sum + i * 7) % 1000003
  end
  return sum
end

jit.off(interpreted_light)
jit.off(interpreted_heavy)

-- mix() is the host's, in C.
local function native(rounds)
  local result = mix(rounds) -- a call in tail position would take this function off the stack
  return result
end

repeat
  -- Rounds of one length could keep step with the sampler's.
  local n = 100000 * math.random(50, 150) / 100
  light(n)
  heavy(n)
  interpreted_light(n)
  interpreted_heavy(n)
  native(n)
until over()
