/* SPDX-License-Identifier: GPL-3.0-or-later */
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.LongUnaryOperator;

/* Works on stacks of known functions and lines, until it is ended; or, asked to trace, says them: a line each, functions and lines from
 * turn() on to the one that begins. */
public class Stacks {
  static final Set<String> known = new LinkedHashSet<>();
  static boolean tracing;
  static volatile long sink;

  interface Shape {
    long area(int n);
  }

  static class Square implements Shape {
    final long side;
    Square(int n) {
      if (tracing) here();
      side = work(n);
    }
    public long area(int n) {
      if (tracing) here();
      return side * work(n);
    }
  }

  static class Pair implements Shape {
    final long a, b;
    Pair(long a, long b) {
      this.a = a;
      this.b = b;
    }
    public long area(int n) {
      if (tracing) here();
      return a + b + new Square(n).area(n);
    }
  }

  static void here() {
    StackTraceElement[] all = Thread.currentThread().getStackTrace();
    StringBuilder text = new StringBuilder();
    for (int i = all.length - 1, begun = 0; i >= 2; i--) {
      begun |= all[i].getMethodName().equals("turn") ? 1 : 0;
      if (begun != 0)
        text.append(all[i].getClassName()).append('.').append(all[i].getMethodName()).append(' ').append(all[i].getLineNumber()).append(' ');
    }
    known.add(text.toString());
  }

  static long leaf(int n) {
    if (tracing) here();
    long sum = n;
    for (int i = 0; i < 40; i++)
      sum = sum * 31 + (sum >>> 3) % 7;
    return sum;
  }

  static long work(int n) {
    if (tracing) here();
    long sum = 0;
    for (int i = 0; i < 20; i++)
      sum += leaf(i) ^ n;
    return sum;
  }

  static long recurse(int depth, Shape shape) {
    if (tracing) here();
    if (depth == 0)
      return shape.area(depth);
    return recurse(depth - 1, shape)
        + 1;
  }

  static synchronized long locked(int n) {
    if (tracing) here();
    return work(n);
  }

  static long failing(int n) {
    if (tracing) here();
    if (n == 0)
      throw new IllegalStateException();
    return failing(n - 1) + 1;
  }

  static long caught(int n) {
    if (tracing) here();
    try {
      return failing(n);
    } catch (IllegalStateException e) {
      return locked(n);
    }
  }

  static long apply(LongUnaryOperator operator, long n) {
    if (tracing) here();
    return operator.applyAsLong(n);
  }

  static long turn(int n) {
    if (tracing) here();
    long sum = recurse(12, new Square(n));
    sum += recurse(5, new Pair(n, 2));
    sum += apply(x -> work((int)x) + x, n);
    sum += apply(Math::negateExact, n);
    return sum + caught(3);
  }

  public static void main(String[] arguments) {
    tracing = Arrays.asList(arguments).contains("trace");
    if (tracing) {
      turn(1);
      known.forEach(System.out::println);
      return;
    }
    System.out.println("begun");
    for (int n = 0;; n++)
      sink += turn(n);
  }
}
