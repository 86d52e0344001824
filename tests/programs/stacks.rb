# SPDX-License-Identifier: GPL-3.0-or-later
# Works for so many seconds in stacks that are known, also in a thread and in a process that it forks; or, with "trace", prints once
# each stack that it can have: its functions from the outermost to the innermost, with the line that each is at, as Ruby itself says them. Writes the file of that name.
require 'json'

def leaf(n)
  total = 0
  i = 0
  while i < n
    total += i * i
    i += 1
  end
  total
end

def deep(n)
  return leaf(4000) if n == 0
  deep(n - 1)
end

# Has more instructions than are found at once (54), and than one block of the index has (512).
def long(n)
  a = leaf(n) + n
  b = [a, n, a + n, a - n, a * n, n * n, n + 1, n + 2]
  c = [b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]
  d = { a => b, b => c, c => a, n => n, n + 1 => n, n + 2 => n, n + 3 => n, n + 4 => n }
  a += leaf(n) + d.size
  b = [c[0] + a, c[1] + a, c[2] + a, c[3] + a, c[4] + a, c[5] + a, c[6] + a, c[7] + a]
  c = [b[0] * 2, b[1] * 2, b[2] * 2, b[3] * 2, b[4] * 2, b[5] * 2, b[6] * 2, b[7] * 2]
  b = [c[0] + a, c[1] + a, c[2] + a, c[3] + a, c[4] + a, c[5] + a, c[6] + a, c[7] + a]
  c = [b[0] * 2, b[1] * 2, b[2] * 2, b[3] * 2, b[4] * 2, b[5] * 2, b[6] * 2, b[7] * 2]
  b = [c[0] + a, c[1] + a, c[2] + a, c[3] + a, c[4] + a, c[5] + a, c[6] + a, c[7] + a]
  c = [b[0] * 2, b[1] * 2, b[2] * 2, b[3] * 2, b[4] * 2, b[5] * 2, b[6] * 2, b[7] * 2]
  b = [c[0] + a, c[1] + a, c[2] + a, c[3] + a, c[4] + a, c[5] + a, c[6] + a, c[7] + a]
  c = [b[0] * 2, b[1] * 2, b[2] * 2, b[3] * 2, b[4] * 2, b[5] * 2, b[6] * 2, b[7] * 2]
  b = [c[0] + a, c[1] + a, c[2] + a, c[3] + a, c[4] + a, c[5] + a, c[6] + a, c[7] + a]
  a += leaf(n) + b.size
  a
end

class Größe
  attr_reader :value

  def initialize(value)
    @value = value
    leaf(200)
  end

  def self.make(value)
    new(value)
  end

  define_method(:other) do
    leaf(300)
  end

  def method_missing(name)
    leaf(250)
  end

  def <=>(other)
    leaf(50)
    value <=> other.value
  end
end

def numbers
  return to_enum(:numbers) unless block_given?
  5.times { |i| yield leaf(600) + i }
end

def careful
  begin
    Integer('x')
  rescue ArgumentError
    leaf(400)
  ensure
    leaf(300)
  end
end

# Is long in being read, then runs.
File.write(ARGV[1], "leaf(500)\n" + (1..60).map { |i| "def unused#{i}(n) n.to_s + [n, '#{i}', #{i}].join(' ') end\n" }.join)

def turn
  deep(10)
  load(ARGV[1])
  long(300)
  numbers { |number| number + 1 }
  several = numbers
  3.times { several.next }
  [1, 2, 3].map do |n|
    leaf(100 * n)
  end
  size = Größe.make(2)
  size.other
  size.unknown
  careful
  method(:leaf).call(500)
  send(:leaf, 500)
  eval("leaf(450)\n", binding, 'evaluated.rb', 7)
  $many.sort.first
  ('x' * 100000).size
end

$many = (1..10).map { |i| Größe.new(i * 7 % 10) }

# C functions have no file of their own there, but their caller's file and line.
RUBY = /^(<|block |rescue |ensure |(leaf|deep|long|initialize|make|method_missing|numbers|careful|turn)$)/

def note(stacks)
  stack = caller_locations(2).select { |place| place.label =~ RUBY || place.label == '<=>' }
  stacks[stack.reverse.map { |place| [place.label, place.path, place.lineno] }] = true
end

if ARGV[0] == 'trace'
  stacks = {}
  trace = TracePoint.new(:line, :call, :return, :b_call, :b_return) { note(stacks) }
  trace.enable { turn }
  puts stacks.keys.to_json
else
  finish = Process.clock_gettime(Process::CLOCK_MONOTONIC) + ARGV[0].to_f
  while Process.clock_gettime(Process::CLOCK_MONOTONIC) < finish
    80.times { turn }
    Thread.new { 40.times { turn } }.join
    Process.wait(fork { 80.times { turn } })
  end
end
