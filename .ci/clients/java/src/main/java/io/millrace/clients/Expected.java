package io.millrace.clients;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What is to be found: the tables of dataset.py, and comparing that throws at the first difference. */
final class Expected {

    record StoredObject(String sha256, long size, String key) {}

    record ByteRange(String sha256, String header, String contentRange, String key) {}

    record Metadata(String contentType, String cacheControl, String name, String value, String key) {}

    private Expected() {}

    static List<StoredObject> objects() {
        return rows("objects.tsv").stream()
                .map(row -> new StoredObject(row[0], Long.parseLong(row[1]), row[2]))
                .toList();
    }

    static List<ByteRange> ranges() {
        return rows("ranges.tsv").stream()
                .map(row -> new ByteRange(row[0], row[1], "bytes %s-%s/".formatted(row[2], row[3]), row[4]))
                .toList();
    }

    static List<Metadata> metadata() {
        return rows("metadata.tsv").stream()
                .map(row -> new Metadata(row[0], row[1], row[2], row[3], row[4]))
                .toList();
    }

    static List<String> keys() {
        return objects().stream().map(StoredObject::key).toList();
    }

    /** The common prefixes directly below a prefix, each with its slash. */
    static Set<String> folders(String prefix) {
        return keys().stream()
                .filter(key -> key.startsWith(prefix) && key.indexOf('/', prefix.length()) > 0)
                .map(key -> key.substring(0, key.indexOf('/', prefix.length()) + 1))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** The keys directly below a prefix. */
    static List<String> files(String prefix) {
        return keys().stream()
                .filter(key -> key.startsWith(prefix) && key.indexOf('/', prefix.length()) < 0)
                .toList();
    }

    /** The objects whose keys begin so. */
    static List<StoredObject> below(String prefix) {
        return objects().stream().filter(one -> one.key().startsWith(prefix)).toList();
    }

    static Path file(StoredObject one) {
        return file(one.key());
    }

    static Path file(String key) {
        return Path.of(System.getenv("EXPECTED"), "tree").resolve(key);
    }

    /** The object that takes several parts. */
    static Path large() {
        return file("sizes/large/20MiB+1");
    }

    static void same(String what, Object found, Object expected) {
        if (!expected.equals(found)) {
            throw new AssertionError("%s: found %s, expected %s".formatted(what, found, expected));
        }
    }

    static void sameBytes(String what, byte[] body, String sha256) {
        same("sha256 of " + what + " (" + body.length + " bytes)", digest(body), sha256);
    }

    static String digest(Path file) throws IOException {
        return digest(Files.readAllBytes(file));
    }

    private static String digest(byte[] body) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String[]> rows(String name) {
        try {
            return Files.readAllLines(Path.of(System.getenv("EXPECTED"), name), UTF_8).stream()
                    .map(line -> line.split("\t"))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
