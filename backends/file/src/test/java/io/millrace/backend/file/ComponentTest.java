package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.testkit.KeyTorture;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Two keys in one file would be one object's bytes under another's name; a name that leaves the bucket, anybody's bytes. */
class ComponentTest {
    @Test
    void nearlyEveryComponentIsItsOwnName() {
        for (String plain : List.of(
                "a",
                "a b",
                "\u00E4.jpg",
                ".hidden",
                "...",
                "%20",
                "%2F",
                "%",
                "a%%",
                "~",
                "+",
                "CON",
                " ",
                "\n",
                "-",
                "*",
                "\uD83D\uDE00",
                "x".repeat(255),
                "\u00E4".repeat(127))) {
            assertThat(Component.names(plain)).containsExactly(plain);
        }
    }

    @Test
    void whatAPathCannotHoldIsEncoded() {
        assertThat(Component.names("")).containsExactly("%%");
        assertThat(Component.names(".")).containsExactly("%%.");
        assertThat(Component.names("..")).containsExactly("%%..");
        assertThat(Component.names("%%")).containsExactly("%%%25%25");
        assertThat(Component.names("%%~")).containsExactly("%%%25%25~");
        assertThat(Component.names("%%+x")).containsExactly("%%%25%25+x");
        assertThat(Component.names("%%tmp")).containsExactly("%%%25%25tmp");
        assertThat(Component.names("a\0b")).containsExactly("%%a%00b");
        assertThat(Component.names("~\0")).containsExactly("%%%7E%00");
        assertThat(Component.names("+\0")).containsExactly("%%%2B%00");
        assertThat(Component.names("x".repeat(256))).containsExactly("%%+" + "x".repeat(252), "xxxx");
        assertThat(Component.names("x".repeat(254) + "..")).containsExactly("%%+" + "x".repeat(252), "xx..");
        assertThat(Component.names("x".repeat(252) + "%%" + "yy"))
                .containsExactly("%%+" + "x".repeat(252), "%%%25%25yy");
    }

    @Test
    void longNamesAreNeverCutInsideACharacter() {
        List<String> names = Component.names("\uD83D\uDE00".repeat(256));

        assertThat(names)
                .hasSize(5)
                .allMatch(name -> StandardCharsets.UTF_8.newEncoder().canEncode(name));
    }

    @Test
    void keysOfTheTortureListAndManyMoreHaveTheirOwnPlainPaths() {
        Map<List<String>, ObjectKey> keys = new HashMap<>();
        KeyTorture.keys().forEach(key -> assertOwnPath(key, keys));
        Random random = new Random(7);
        for (int i = 0; i < 200_000; i++) {
            assertOwnPath(new ObjectKey(randomText(random)), keys);
        }
    }

    @Test
    void namesLeadBackToTheirKeyAndOnlyTheyDo() {
        Random random = new Random(8);
        for (ObjectKey key : KeyTorture.keys()) {
            assertThat(key(KeyPath.of(key).names())).as(key.value()).isEqualTo(key.value());
        }
        for (int i = 0; i < 200_000; i++) {
            String key = randomText(random);
            assertThat(key(KeyPath.of(new ObjectKey(key)).names())).isEqualTo(key);
            List<String> names = List.of(randomText(random).replace("/", "").replace("\0", "") + "x");
            String found = names.get(0).getBytes(StandardCharsets.UTF_8).length > 255 ? "" : key(names);
            if (!found.isEmpty()) {
                assertThat(KeyPath.of(new ObjectKey(found)).names()).isEqualTo(names);
            }
        }
    }

    private static void assertOwnPath(ObjectKey key, Map<List<String>, ObjectKey> keys) {
        List<String> names = KeyPath.of(key).names();
        for (String name : names) {
            boolean plain = !name.isEmpty()
                    && !name.equals(".")
                    && !name.equals("..")
                    && !name.equals(Component.SELF)
                    && !name.equals(Component.TEMPORARY)
                    && name.indexOf('/') < 0
                    && name.indexOf('\0') < 0
                    && name.getBytes(StandardCharsets.UTF_8).length <= 255;
            if (!plain) {
                throw new AssertionError("%s in the path of %s".formatted(name, key));
            }
        }
        ObjectKey other = keys.put(names, key);
        if (other != null && !other.equals(key)) {
            throw new AssertionError("%s and %s share a path".formatted(other, key));
        }
    }

    /** The key that a listing makes of these names; empty if it makes none. */
    private static String key(List<String> names) {
        Folder folder = Folder.of(Path.of("/bucket"), "");
        for (int i = 0; i < names.size(); i++) {
            Path entry = FileNames.child(folder.path(), names.get(i));
            Folder.Child child = folder.child(entry).orElse(null);
            if (child == null) {
                return "";
            }
            boolean last = i == names.size() - 1;
            if (last) {
                return child.chunk().isPresent() ? "" : child.text();
            }
            folder = child.chunk().orElse(Folder.of(entry, child.text() + "/"));
        }
        return "";
    }

    private static String randomText(Random random) {
        List<String> pieces =
                List.of("%", "%%", "%%+", "%%~", ".", "..", "/", "a", "~", "+", "\0", "25", "2B", "00", "\u00E4");
        StringBuilder text = new StringBuilder();
        int length = 1 + random.nextInt(8);
        List<String> chosen = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            chosen.add(pieces.get(random.nextInt(pieces.size())));
        }
        chosen.forEach(text::append);
        if (random.nextInt(20) == 0) {
            text.append(pieces.get(random.nextInt(pieces.size())).repeat(100 + random.nextInt(100)));
        }
        return text.toString();
    }
}
