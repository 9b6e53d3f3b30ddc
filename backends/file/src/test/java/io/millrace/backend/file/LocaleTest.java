package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.HeaderList;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** File names are UTF-8 in every locale: in containers without one, Java 17 cannot encode an umlaut. */
class LocaleTest {
    private static final List<String> NAMES = List.of("\u00E4/\uD83D\uDE00.jpg", "\uFFFD", "plain");

    @RegisterExtension
    final FileBackendFixture tree = FileBackendFixture.make();

    @ParameterizedTest
    @ValueSource(strings = {"C", "POSIX", "C.UTF-8"})
    void namesAreUtf8WhateverTheLocaleSays(String locale) throws Exception {
        for (String name : NAMES) {
            tree.put(name, name);
        }
        tree.put("bad", "x");
        Files.move(tree.bucket().resolve("bad"), tree.bucket().resolve(raw("%FF")));

        assertThat(run(locale, "list")).containsExactly("plain", "\u00E4/\uD83D\uDE00.jpg", "\uFFFD");
        assertThat(run(locale, "read")).containsExactlyElementsOf(NAMES);
        run(locale, "write");
        assertThat(tree.read("w\u00F6rt")).isEqualTo("w\u00F6rt");
    }

    @Test
    void testMeansSomethingHere() throws Exception {
        assertThat(run("C", "spell")).containsExactly("cannot");
    }

    private static Path raw(String escaped) {
        return Path.of(URI.create("file:///" + escaped)).getFileName();
    }

    private List<String> run(String locale, String task) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                OtherLocaleProgram.class.getName(),
                tree.root().toString(),
                task);
        builder.environment().put("LC_ALL", locale);
        builder.redirectError(ProcessBuilder.Redirect.INHERIT);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertThat(process.waitFor()).isZero();
        return output.lines()
                .map(line -> new String(Base64.getDecoder().decode(line), StandardCharsets.UTF_8))
                .toList();
    }

    /** Program that runs under the other locale; prints Base64, so that the charset of its console does not matter. */
    static final class OtherLocaleProgram {
        private OtherLocaleProgram() {}

        public static void main(String[] arguments) throws IOException {
            FileBackendFixture tree = FileBackendFixture.at(Path.of(arguments[0]));
            switch (arguments[1]) {
                case "list" -> tree.keys().forEach(OtherLocaleProgram::print);
                case "read" -> NAMES.forEach(name -> print(tree.read(name)));
                case "write" -> tree.write("w\u00F6rt", "w\u00F6rt", HeaderList.EMPTY);
                default -> print(canSpell() ? "can" : "cannot");
            }
        }

        private static boolean canSpell() {
            try {
                return !Path.of("\u00E4").toString().isEmpty();
            } catch (InvalidPathException e) {
                return false;
            }
        }

        private static void print(String text) {
            System.out.println(Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)));
        }
    }
}
