package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.data.DifficultKeys;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.data.ListedPages;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Every key that S3 allows is stored, read and listed as itself. */
interface KeyContract extends ContractSupport {
    @Test
    default void tortureListIsHeldReadAndListed() {
        List<ObjectKey> keys =
                DifficultKeys.keys().stream().filter(this::supportsKey).toList();
        keys.forEach(key -> seed(key, content(key), HeaderList.EMPTY));

        assertThat(keys).allSatisfy(key -> assertThat(read(readRequest(key))).isEqualTo(content(key)));
        if (supports(Capability.LIST)) {
            assertListed(keys);
        }
    }

    private void assertListed(List<ObjectKey> keys) {
        assertThat(ListedPages.readAll(backend(), ListedPages.request(bucket(), "", "", ListRequest.MAX_KEYS))
                        .keys())
                .containsExactlyElementsOf(sorted(keys));
        assertThat(ListedPages.readAll(backend(), ListedPages.request(bucket(), "", "", 17))
                        .keys())
                .containsExactlyElementsOf(sorted(keys));
        assertRolledUp(keys, "", "/");
        assertRolledUp(keys, "a/", "/");
        assertRolledUp(keys, "/", "/");
        assertRolledUp(keys, "", "..");
        assertRolledUp(keys, "", "b");
    }

    /** Asserts that a list with a delimiter has these keys and their common prefixes, in order. */
    default void assertRolledUp(List<ObjectKey> keys, String prefix, String delimiter) {
        TreeSet<String> plain = new TreeSet<>(ObjectKey.UTF8_ORDER);
        TreeSet<String> prefixes = new TreeSet<>(ObjectKey.UTF8_ORDER);
        for (ObjectKey key : keys) {
            int at = key.value().indexOf(delimiter, prefix.length());
            if (key.value().startsWith(prefix)) {
                (at < 0 ? plain : prefixes)
                        .add(at < 0 ? key.value() : key.value().substring(0, at + delimiter.length()));
            }
        }
        ListedPages pages = ListedPages.readAll(backend(), ListedPages.request(bucket(), prefix, delimiter, 23));
        assertThat(pages.keys()).containsExactlyElementsOf(plain);
        assertThat(pages.prefixes()).containsExactlyElementsOf(prefixes);
    }

    private static byte[] content(ObjectKey key) {
        return GeneratedBytes.of(key.value()).first(40 + key.value().length() % 5);
    }

    private static List<String> sorted(List<ObjectKey> keys) {
        return keys.stream().sorted().map(ObjectKey::value).toList();
    }
}
