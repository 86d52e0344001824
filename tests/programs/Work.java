/* SPDX-License-Identifier: GPL-3.0-or-later */
import java.util.HashMap;
import java.util.Map;

/* Computes, in interpreted and in compiled code, for as many milliseconds as it is told. */
public class Work {
  static long collatz(long n) {
    return n == 1 ? 0 : 1 + collatz(n % 2 == 0 ? n / 2 : 3 * n + 1);
  }

  static int count(Map<String, Integer> words, String text) {
    for (String word : text.split(" "))
      words.merge(word, 1, Integer::sum);
    return words.size();
  }

  public static void main(String[] arguments) {
    long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1000000;
    long sum = 0;
    for (long n = 1; System.nanoTime() < end; n++) {
      sum += collatz(n % 1000 + 1);
      if (n % 10 == 0)
        sum += count(new HashMap<>(), "the quick brown fox " + n % 97 + " jumps over the lazy dog");
    }
    System.out.println(sum);
  }
}
