package io.millrace.gateway.archive;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/** Random files for an archive: names of all lengths, and sizes around those of a block. */
final class RandomFiles {
    private static final int[] SIZES = {0, 1, 511, 512, 513, 1024, 5000, 70_000};

    private RandomFiles() {}

    /**
     * Makes files.
     *
     * @param longestName in characters
     * @param alphabet the characters of names
     */
    static Map<String, byte[]> of(Random random, int count, int longestName, String alphabet) {
        Map<String, byte[]> files = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            byte[] content = new byte[SIZES[random.nextInt(SIZES.length)]];
            random.nextBytes(content);
            files.put(name(random, i, longestName, alphabet), content);
        }
        return files;
    }

    /** Returns a name that no other number has, in a folder or some. */
    private static String name(Random random, int number, int longest, String alphabet) {
        StringBuilder name = new StringBuilder("f" + number);
        int[] characters = alphabet.codePoints().toArray();
        int length = random.nextInt(4) == 0 ? longest : 1 + random.nextInt(40);
        while (name.codePointCount(0, name.length()) < length) {
            if (random.nextInt(12) == 0 && name.length() + 2 <= length) {
                name.append("/d");
            } else {
                name.appendCodePoint(characters[random.nextInt(characters.length)]);
            }
        }
        return name.toString();
    }
}
