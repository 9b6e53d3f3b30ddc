package io.millrace.config.problem;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the known word closest to a misspelt one, for suggestions. */
public final class ClosestMatch {
    /** Longer words get no suggestion, because the edit distance of long texts takes time. */
    private static final int LONGEST = 40;

    private ClosestMatch() {}

    /** Returns the closest known word within one edit, plus one per four letters; ignores case, dashes and spaces. */
    public static Optional<String> find(String written, Collection<String> candidates) {
        if (written.length() > LONGEST) {
            return Optional.empty();
        }
        String word = plain(written);
        return candidates.stream()
                .filter(candidate -> distance(word, plain(candidate)) <= 1 + candidate.length() / 4)
                .filter(candidate ->
                        distance(word, plain(candidate)) < plain(candidate).length())
                .min(Comparator.comparingInt(candidate -> distance(word, plain(candidate))));
    }

    private static String plain(String word) {
        return word.toLowerCase(Locale.ROOT).replaceAll("[-_ .]", "");
    }

    /** The optimal string alignment distance: letters to insert, delete, replace or swap with the next. */
    static int distance(String a, String b) {
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                cost[i][j] = i == 0 || j == 0 ? i + j : cheapest(a, b, i, j, cost);
            }
        }
        return cost[a.length()][b.length()];
    }

    private static int cheapest(String a, String b, int i, int j, int[][] cost) {
        int replace = cost[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        int best = Math.min(replace, 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
        boolean swapped = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(best, 1 + cost[i - 2][j - 2]) : best;
    }
}
