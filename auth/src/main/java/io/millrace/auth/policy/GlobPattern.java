package io.millrace.auth.policy;

import java.util.Arrays;

/**
 * A pattern of names: {@code *} stands for any characters, slashes too, {@code ?} for one, all else for itself. It counts
 * code points, not chars. Immutable.
 *
 * <p>Matching follows all ways through the pattern at once, one bit each, so it is a single pass over the name whatever
 * the pattern. A unit is a character or {@code ?}; bit {@code i} of the state says that the name so far matches the
 * first {@code i} units. A {@code *} is no unit: it lets the bit before the next unit stay.
 */
public final class GlobPattern {
    private static final int ANY_ONE = -1;

    private final String text;
    /** The pattern without stars if its only star is the last character, if any: most patterns, and the fast way. */
    private final String plain;

    private final boolean isPlain;
    private final boolean openEnd;
    private final int units;
    /** Bit i: a star stands before unit i, or behind the last one. */
    private final long[] stays;
    /** Bit i: unit i is {@code ?}. */
    private final long[] anyOne;
    /** The distinct characters of the pattern, ascending, and for each the units it fits, {@code ?} included. */
    private final int[] characters;

    private final long[][] fits;

    private GlobPattern(String text, int[] pattern, boolean[] stars) {
        this.text = text;
        units = pattern.length;
        openEnd = stars[units];
        plain = openEnd ? text.substring(0, text.indexOf('*')) : text;
        isPlain = text.indexOf('?') < 0 && noStarWithin(stars);
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

    /** The pattern {@code text}; any text is one. */
    public static GlobPattern of(String text) {
        int[] codePoints = text.codePoints().toArray();
        int[] pattern = new int[codePoints.length];
        boolean[] stars = new boolean[codePoints.length + 1];
        int units = 0;
        boolean star = false;
        for (int c : codePoints) {
            if (c == '*') {
                star = true;
            } else if (c == '?') {
                // "*?" means the same as "?*"; with the star last, covers() sees what the pattern leaves open.
                pattern[units++] = ANY_ONE;
            } else {
                stars[units] = star;
                pattern[units++] = c;
                star = false;
            }
        }
        stars[units] = star;
        return new GlobPattern(text, Arrays.copyOf(pattern, units), Arrays.copyOf(stars, units + 1));
    }

    /** Whether the pattern is all of {@code name}. */
    public boolean matches(String name) {
        if (isPlain) {
            return openEnd ? name.startsWith(plain) : name.equals(plain);
        }
        return isSet(follow(name), units);
    }

    /**
     * Whether the pattern matches {@code prefix} and also every name that begins with it: the pattern is used up by the
     * prefix and ends in a star.
     */
    public boolean covers(String prefix) {
        return openEnd && matches(prefix);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof GlobPattern that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** The pattern as it was given. */
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
