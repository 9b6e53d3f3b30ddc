package io.millrace.gateway.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/** Inputs made of others, without looking at what they reach. The same ones for the same seed. */
final class Changes {
    private final Random random;
    private final List<byte[]> kept;

    Changes(long seed, List<byte[]> kept) {
        this.random = new Random(seed);
        this.kept = kept;
    }

    byte[] next() {
        StringBuilder input = new StringBuilder(one());
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            change(input);
        }
        return input.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private void change(StringBuilder input) {
        int at = random.nextInt(input.length() + 1);
        int to = Math.min(input.length(), at + 1 + random.nextInt(30));
        switch (random.nextInt(6)) {
            case 0 -> input.insert(at, (char) random.nextInt(256));
            case 1 -> input.delete(at, to);
            case 2 -> input.insert(at, input.substring(at, to));
            case 3 -> input.replace(at, Math.min(input.length(), at + 1), String.valueOf((char) random.nextInt(256)));
            case 4 -> input.insert(at, part(one()));
            default -> input.replace(at, to, part(one()));
        }
    }

    private String part(String text) {
        int from = random.nextInt(text.length() + 1);
        return text.substring(from, Math.min(text.length(), from + 1 + random.nextInt(30)));
    }

    private String one() {
        return new String(kept.get(random.nextInt(kept.size())), StandardCharsets.ISO_8859_1);
    }
}
