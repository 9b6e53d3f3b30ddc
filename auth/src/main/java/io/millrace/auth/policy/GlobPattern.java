package io.millrace.auth.policy;

import java.util.Arrays;

/**
 * Matches names with a glob pattern: {@code *} stands for any characters including slashes, {@code ?} for one
 * character, anything else for itself. Characters are code points. Immutable.
 *
 * <p>Matching simulates a non-deterministic automaton with one bit for each state, so it is a single pass over the name
 * for any pattern. A unit is a character or {@code ?}; bit {@code i} of the state says that the name so far matches the
 * first {@code i} units. A {@code *} is no unit: it lets the bit before the next unit stay.
 */
public final class GlobPattern {
    /** Stands for one character. */
    static final int ANY_ONE = -1;

    /** Stands for any characters. */
    static final int ANY = -2;

    private final String text;
    /** The characters before the first wildcard, and those after the last: most names differ in them. */
    private final String head;

    private final String tail;

    /** Whether the pattern is its head, and perhaps a star. */
    private final boolean isPlain;

    private final boolean openEnd;
    private final int units;
    /** Bit i: a star stands before unit i, or after the last unit. */
    private final long[] stays;
    /** Bit i: unit i is {@code ?}. */
    private final long[] anyOne;
    /**
     * The distinct characters of the pattern, ascending; {@code fits} has for each the units it matches, {@code ?}
     * included.
     */
    private final int[] characters;

    private final long[][] fits;

    private GlobPattern(String text, String head, String tail, int[] pattern, boolean[] stars) {
        this.text = text;
        this.head = head;
        this.tail = tail;
        units = pattern.length;
        openEnd = stars[units];
        isPlain = noStarWithin(stars) && Arrays.stream(pattern).noneMatch(c -> c == ANY_ONE);
        stays = new long[words()];
        anyOne = new long[words()];
        for (int i = 0; i <= units; i++) {
            if (stars[i]) {
                set(stays, i);
            }
        }
        for (int i = 0; i < units; i++) {
            if (pattern[i] == ANY_ONE) {
                set(anyOne, i);
            }
        }
        characters = Arrays.stream(pattern)
                .filter(c -> c != ANY_ONE)
                .distinct()
                .sorted()
                .toArray();
        fits = new long[characters.length][];
        Arrays.setAll(fits, i -> anyOne.clone());
        for (int i = 0; i < units; i++) {
            if (pattern[i] != ANY_ONE) {
                set(fits[Arrays.binarySearch(characters, pattern[i])], i);
            }
        }
    }

    /** Creates a pattern from {@code text}; every text is valid. */
    public static GlobPattern of(String text) {
        return of(text, wildcards(text));
    }

    /** Returns the characters of a text, with {@link #ANY} for a star and {@link #ANY_ONE} for a question mark. */
    static int[] wildcards(String text) {
        return text.codePoints()
                .map(c -> c == '*' ? ANY : c == '?' ? ANY_ONE : c)
                .toArray();
    }

    /**
     * Creates a pattern from characters, {@link #ANY} and {@link #ANY_ONE}.
     *
     * @param text the pattern for {@link #toString} and {@link #equals}
     */
    static GlobPattern of(String text, int[] characters) {
        int[] pattern = new int[characters.length];
        boolean[] stars = new boolean[characters.length + 1];
        StringBuilder head = new StringBuilder();
        StringBuilder tail = new StringBuilder();
        boolean isHead = true;
        int units = 0;
        boolean star = false;
        for (int c : characters) {
            if (c < 0) {
                isHead = false;
                tail.setLength(0);
            }
            if (c == ANY) {
                star = true;
            } else if (c == ANY_ONE) {
                // "*?" means the same as "?*"; with the star last, covers() sees what the pattern leaves open.
                pattern[units++] = ANY_ONE;
            } else {
                stars[units] = star;
                pattern[units++] = c;
                star = false;
                tail.appendCodePoint(c);
                if (isHead) {
                    head.appendCodePoint(c);
                }
            }
        }
        stars[units] = star;
        return new GlobPattern(
                text, head.toString(), tail.toString(), Arrays.copyOf(pattern, units), Arrays.copyOf(stars, units + 1));
    }

    /** Returns whether the pattern matches all of {@code name}. */
    public boolean matches(String name) {
        if (isPlain) {
            return openEnd ? name.startsWith(head) : name.equals(head);
        }
        return name.startsWith(head) && name.endsWith(tail) && isSet(follow(name), units);
    }

    /**
     * Returns whether the pattern matches {@code prefix} and every name that begins with it: the prefix matches all of
     * the pattern, and the pattern ends in a star.
     */
    public boolean covers(String prefix) {
        return openEnd && matches(prefix);
    }

    /** Returns whether the pattern matches a name that begins with {@code prefix}, or is equal to it. */
    boolean touches(String prefix) {
        if (isPlain) {
            return head.startsWith(prefix) || (openEnd && prefix.startsWith(head));
        }
        for (long word : follow(prefix)) {
            if (word != 0) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof GlobPattern that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** Returns the pattern as it was given. */
    @Override
    public String toString() {
        return text;
    }

    private long[] follow(String name) {
        long[] state = new long[words()];
        state[0] = 1;
        for (int i = 0; i < name.length(); ) {
            int c = name.codePointAt(i);
            i += Character.charCount(c);
            step(state, fitting(c));
        }
        return state;
    }

    private void step(long[] state, long[] fitting) {
        long carry = 0;
        for (int w = 0; w < state.length; w++) {
            long moved = state[w] & fitting[w];
            state[w] = (state[w] & stays[w]) | (moved << 1) | carry;
            carry = moved >>> 63;
        }
    }

    private long[] fitting(int c) {
        int at = Arrays.binarySearch(characters, c);
        return at >= 0 ? fits[at] : anyOne;
    }

    private int words() {
        return (units >> 6) + 1;
    }

    private static boolean noStarWithin(boolean[] stars) {
        for (int i = 0; i < stars.length - 1; i++) {
            if (stars[i]) {
                return false;
            }
        }
        return true;
    }

    private static void set(long[] bits, int i) {
        bits[i >> 6] |= 1L << i;
    }

    private static boolean isSet(long[] bits, int i) {
        return (bits[i >> 6] & 1L << i) != 0;
    }
}
