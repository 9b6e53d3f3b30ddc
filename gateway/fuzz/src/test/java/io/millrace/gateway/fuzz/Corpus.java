package io.millrace.gateway.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * The inputs that are kept: what was written by hand, and what once failed, in a file each; and what the search found
 * besides, a line each in {@value #FOUND}, with escapes.
 */
final class Corpus {
    private static final String FOUND = "found.txt";

    /** What a repository can bear: the shortest inputs, up to so many characters. */
    private static final int MOST = 64 << 10;

    private Corpus() {}

    /** All of a kind, in the same order each time. */
    static List<byte[]> of(Kind kind) {
        List<byte[]> inputs = new ArrayList<>();
        for (Path file : files(folder(kind))) {
            byte[] content = read(file);
            if (file.endsWith(FOUND)) {
                String text = new String(content, StandardCharsets.ISO_8859_1);
                text.lines().forEach(line -> inputs.add(unescaped(line)));
            } else {
                inputs.add(content);
            }
        }
        return inputs;
    }

    /**
     * Writes all inputs of a kind into a folder, a file each, or what is in a folder into the list of what was found.
     *
     * @param args {@code unpack}, a kind and a folder; or {@code pack}, a folder and the file to write
     */
    public static void main(String[] args) throws IOException {
        if (args[0].equals("unpack")) {
            int number = 0;
            for (byte[] input : of(Kind.of(args[1]))) {
                Files.write(Path.of(args[2], "kept-" + number++), input);
            }
        } else {
            List<String> lines = new ArrayList<>();
            for (Path file : files(Path.of(args[1]))) {
                lines.add(escaped(read(file)));
            }
            lines.sort(Comparator.comparing(String::length).thenComparing(line -> line));
            int count = 0;
            for (int length = 0; count < lines.size() && length < MOST; count++) {
                length += lines.get(count).length();
            }
            Files.write(Path.of(args[2]), lines.subList(0, count), StandardCharsets.ISO_8859_1);
        }
    }

    private static String escaped(byte[] input) {
        StringBuilder line = new StringBuilder();
        for (byte octet : input) {
            char c = (char) (octet & 0xFF);
            if (c == '\n') {
                line.append("\\n");
            } else if (c == '\\' || c < ' ' || c >= 0x7F) {
                line.append("\\x%02x".formatted((int) c));
            } else {
                line.append(c);
            }
        }
        return line.toString();
    }

    private static byte[] unescaped(String line) {
        StringBuilder bytes = new StringBuilder();
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c != '\\') {
                bytes.append(c);
            } else if (line.charAt(i + 1) == 'n') {
                bytes.append('\n');
                i++;
            } else {
                bytes.append((char) Integer.parseInt(line.substring(i + 2, i + 4), 16));
                i += 3;
            }
        }
        return bytes.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private static Path folder(Kind kind) {
        URL folder = Objects.requireNonNull(Corpus.class.getResource(kind.toString()), "no corpus of " + kind);
        try {
            return Path.of(folder.toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<Path> files(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
