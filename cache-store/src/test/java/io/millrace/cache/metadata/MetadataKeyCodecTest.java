package io.millrace.cache.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MetadataKeyCodecTest {
    private static final Comparator<ObjectId> ORDER = Comparator.comparing(ObjectId::backend, ObjectKey.UTF8_ORDER)
            .thenComparing(id -> id.object().bucket().value(), ObjectKey.UTF8_ORDER)
            .thenComparing(id -> id.object().key().value(), ObjectKey.UTF8_ORDER)
            .thenComparing(id -> id.versionId().isPresent())
            .thenComparing(id -> id.versionId().orElse(""), ObjectKey.UTF8_ORDER);

    /**
     * The characters of keys: NUL and U+0001, which the encoding itself uses, the highest code points of each length,
     * and some common ones.
     */
    private static final String[] CHARACTERS = {
        "\0",
        "\u0001",
        "\u0002",
        "/",
        "a",
        "b",
        "\u007f",
        "\u0080",
        "\u00ff",
        "\u07ff",
        "\ue000",
        "\uffff",
        "\ud800\udc00",
        "\udbff\udfff"
    };

    private final Random random = new Random(19);

    @Test
    void ordersKeysAsS3Lists() {
        List<ObjectId> ids = ids(4000);
        for (int i = 1; i < ids.size(); i++) {
            ObjectId one = ids.get(i - 1);
            ObjectId other = ids.get(i);
            assertThat(Integer.signum(Arrays.compareUnsigned(MetadataKeyCodec.of(one), MetadataKeyCodec.of(other))))
                    .as("%s and %s", one, other)
                    .isEqualTo(Integer.signum(ORDER.compare(one, other)));
        }
    }

    @Test
    void decodesWhatItEncodes() {
        ids(2000)
                .forEach(id -> assertThat(MetadataKeyCodec.decode(MetadataKeyCodec.of(id)))
                        .isEqualTo(id));
    }

    @Test
    void prefixRangeHoldsExactlyItsKeys() {
        List<ObjectId> ids = ids(300);
        for (ObjectId prefixed : ids) {
            ObjectPrefix below = new ObjectPrefix(
                    prefixed.backend(),
                    prefixed.object().bucket(),
                    begin(prefixed.object().key().value()));
            byte[] first = MetadataKeyCodec.first(below);
            byte[] end = MetadataKeyCodec.end(first);
            for (ObjectId id : ids) {
                byte[] key = MetadataKeyCodec.of(id);
                boolean within = Arrays.compareUnsigned(first, key) <= 0 && Arrays.compareUnsigned(key, end) < 0;
                assertThat(within).as("%s below %s", id, below).isEqualTo(below.holds(id));
            }
        }
    }

    @Test
    void nextKeyIsTheLowestHigherOne() {
        byte[] key = MetadataKeyCodec.of(ids(1).get(0));
        assertThat(MetadataKeyCodec.after(key))
                .startsWith(key)
                .hasSize(key.length + 1)
                .endsWith(0);
    }

    @Test
    void refusesKeysThatAreNobodys() {
        byte[] key = MetadataKeyCodec.of(MetadataFixture.id("a"));
        assertThatThrownBy(() -> MetadataKeyCodec.decode(Arrays.copyOf(key, key.length - 1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> MetadataKeyCodec.decode(new byte[] {0, 2}))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** As much of a text as makes a prefix that may be asked for: no half of a pair. */
    private String begin(String text) {
        int end = text.offsetByCodePoints(0, random.nextInt(text.codePointCount(0, text.length()) + 1));
        return text.substring(0, end);
    }

    private List<ObjectId> ids(int count) {
        List<ObjectId> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(new ObjectId(
                    random.nextBoolean() ? "a" : "ab",
                    new ObjectRef(
                            new BucketName(random.nextBoolean() ? "bucket" : "bucket2"),
                            new ObjectKey(text(1 + random.nextInt(3)))),
                    random.nextInt(3) == 0 ? Optional.of(text(1)) : Optional.empty()));
        }
        return ids;
    }

    private String text(int characters) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < characters; i++) {
            text.append(CHARACTERS[random.nextInt(CHARACTERS.length)]);
        }
        return text.toString();
    }
}
