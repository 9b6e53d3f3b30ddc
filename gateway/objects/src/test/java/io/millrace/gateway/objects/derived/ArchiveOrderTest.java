package io.millrace.gateway.objects.derived;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Archives come in the order of the keys below them, whatever characters their own keys have. */
class ArchiveOrderTest {
    @Test
    void archiveThatContinuesAnotherOneComesBeforeIt() {
        assertThat(ordered(List.of("a.tar", "a.tar-b.tar", "a.tar-b.tar!c.tar", "a.tar0.tar", "b.tar")))
                .containsExactly("a.tar-b.tar!c.tar", "a.tar-b.tar", "a.tar", "a.tar0.tar", "b.tar");
    }

    @Test
    void anyKeysAreOrderedAsTheirFolders() {
        Random random = new Random(7);
        for (int round = 0; round < 2000; round++) {
            TreeSet<String> keys = new TreeSet<>(ObjectKey.UTF8_ORDER);
            for (int i = 0; i < 8; i++) {
                keys.add(random.ints(1 + random.nextInt(5), 0, 5)
                        .collect(StringBuilder::new, (text, c) -> text.append("!-.0a".charAt(c)), StringBuilder::append)
                        .toString());
            }
            List<String> expected = new ArrayList<>(keys);
            expected.sort((one, other) -> ObjectKey.UTF8_ORDER.compare(one + "/", other + "/"));

            assertThat(ordered(List.copyOf(keys))).isEqualTo(expected);
        }
    }

    private static List<String> ordered(List<String> keys) {
        ArchiveOrder order = new ArchiveOrder();
        List<String> found = new ArrayList<>();
        for (String key : keys) {
            found.addAll(order.before(key));
            order.hold(key);
        }
        found.addAll(order.end());
        return found;
    }
}
