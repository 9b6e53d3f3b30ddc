package io.millrace.backend.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.data.DifficultKeys;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Every key has its own path inside the bucket: a shared path would serve another object's bytes, a path outside
 * anybody's.
 */
class KeyComponentCodecTest {
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
            assertThat(KeyComponentCodec.encode(plain)).containsExactly(plain);
        }
    }

    @Test
    void encodesComponentsThatPathsCannotHold() {
        assertThat(KeyComponentCodec.encode("")).containsExactly("%%");
        assertThat(KeyComponentCodec.encode(".")).containsExactly("%%.");
        assertThat(KeyComponentCodec.encode("..")).containsExactly("%%..");
        assertThat(KeyComponentCodec.encode("%%")).containsExactly("%%%25%25");
        assertThat(KeyComponentCodec.encode("%%~")).containsExactly("%%%25%25~");
        assertThat(KeyComponentCodec.encode("%%+x")).containsExactly("%%%25%25+x");
        assertThat(KeyComponentCodec.encode("%%tmp")).containsExactly("%%%25%25tmp");
        assertThat(KeyComponentCodec.encode("a\0b")).containsExactly("%%a%00b");
        assertThat(KeyComponentCodec.encode("~\0")).containsExactly("%%%7E%00");
        assertThat(KeyComponentCodec.encode("+\0")).containsExactly("%%%2B%00");
        assertThat(KeyComponentCodec.encode("x".repeat(256))).containsExactly("%%+" + "x".repeat(252), "xxxx");
        assertThat(KeyComponentCodec.encode("x".repeat(254) + "..")).containsExactly("%%+" + "x".repeat(252), "xx..");
        assertThat(KeyComponentCodec.encode("x".repeat(252) + "%%" + "yy"))
                .containsExactly("%%+" + "x".repeat(252), "%%%25%25yy");
    }

    @Test
    void longNamesAreNeverCutInsideACharacter() {
        List<String> names = KeyComponentCodec.encode("\uD83D\uDE00".repeat(256));

        assertThat(names)
                .hasSize(5)
                .allMatch(name -> StandardCharsets.UTF_8.newEncoder().canEncode(name));
    }

    @Test
    void difficultAndRandomKeysHaveDistinctPaths() {
        Map<List<String>, ObjectKey> keys = new HashMap<>();
        DifficultKeys.keys().forEach(key -> assertOwnPath(key, keys));
        Random random = new Random(7);
        for (int i = 0; i < 200_000; i++) {
            assertOwnPath(new ObjectKey(randomText(random)), keys);
        }
    }

    @Test
    void onlyEncodedNamesDecode() {
        Random random = new Random(8);
        for (ObjectKey key : DifficultKeys.keys()) {
            assertThat(key(ObjectKeyPath.of(key).names())).as(key.value()).isEqualTo(key.value());
        }
        for (int i = 0; i < 200_000; i++) {
            String key = randomText(random);
            assertThat(key(ObjectKeyPath.of(new ObjectKey(key)).names())).isEqualTo(key);
            List<String> names = List.of(randomText(random).replace("/", "").replace("\0", "") + "x");
            String found = names.get(0).getBytes(StandardCharsets.UTF_8).length > 255 ? "" : key(names);
            if (!found.isEmpty()) {
                assertThat(ObjectKeyPath.of(new ObjectKey(found)).names()).isEqualTo(names);
            }
        }
    }

    private static void assertOwnPath(ObjectKey key, Map<List<String>, ObjectKey> keys) {
        List<String> names = ObjectKeyPath.of(key).names();
        for (String name : names) {
            boolean plain = !name.isEmpty()
                    && !name.equals(".")
                    && !name.equals("..")
                    && !name.equals(KeyComponentCodec.FOLDER_OBJECT)
                    && !name.equals(KeyComponentCodec.TEMPORARY_FOLDER)
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

    /** Returns the key that a listing decodes from these names; empty if there is none. */
    private static String key(List<String> names) {
        PrefixFolder folder = PrefixFolder.of(Path.of("/bucket"), "");
        for (int i = 0; i < names.size(); i++) {
            Path entry = Utf8FileNames.resolve(folder.path(), names.get(i));
            PrefixFolder.FolderEntry child = folder.decode(entry).orElse(null);
            if (child == null) {
                return "";
            }
            boolean last = i == names.size() - 1;
            if (last) {
                return child.chunkFolder().isPresent() ? "" : child.keyPrefix();
            }
            folder = child.chunkFolder().orElse(PrefixFolder.of(entry, child.keyPrefix() + "/"));
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
