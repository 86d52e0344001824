<?php
// SPDX-License-Identifier: GPL-3.0-or-later
// Works for so many seconds in stacks that are known; or, with "trace", prints once each stack that it can have: its functions
// from the outermost to the innermost, with the line that each is at, as PHP itself says them.
declare(ticks=1);

$stacks = [];

function leaf($n)
{
    $total = 0;
    for ($i = 0; $i < $n; $i++)
        $total += $i * $i;
    return $total;
}

function deep($n)
{
    if ($n == 0)
        return leaf(4000);
    return deep($n - 1);
}

function numbers($n)
{
    for ($i = 0; $i < $n; $i++)
        yield leaf(600) + $i;
}

class Größe
{
    public $value;

    function __construct($value)
    {
        $this->value = $value;
        leaf(200);
    }

    static function make($value)
    {
        return new self($value);
    }

    function __get($name)
    {
        return leaf(300);
    }
}

function turn()
{
    deep(10);
    $total = 0;
    foreach (numbers(5) as $number)
        $total += $number;
    array_map(function ($n) {
        return leaf(100 * $n);
    }, [1, 2, 3]);
    Größe::make(2)->other;
    call_user_func('leaf', 500);
    usort(
        $GLOBALS['many'],
        fn($a, $b) => leaf(50) + $a <=> leaf(50) + $b
    );
    $text = str_repeat('x', 100000);
    return strlen($text);
}

function note()
{
    global $stacks;
    $stack = [];
    $line = 0;
    foreach (debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS) as $i => $frame) {
        if ($i > 0)
            $stack[] = [(isset($frame['class']) ? $frame['class'] . '::' : '') . $frame['function'], $line];
        $line = $frame['line'] ?? 0;
    }
    $stacks[json_encode(array_reverse($stack))] = true;
}

$many = range(1, 20);
if ($argv[1] == 'trace') {
    register_tick_function('note');
    turn();
    unregister_tick_function('note');
    echo '[', implode(',', array_keys($stacks)), ']';
} else {
    $end = microtime(true) + $argv[1];
    while (microtime(true) < $end)
        turn();
}
