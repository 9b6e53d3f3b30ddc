package io.millrace.cache.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoreOperationTest {
    /** Who waits may hold what others wait for, such as the turn of a key. */
    @Test
    void lackOfMemoryReachesTheWaiter() {
        OutOfMemoryError lack = new OutOfMemoryError("on purpose");
        StoreOperation operation = () -> {
            throw lack;
        };
        List<Throwable> heard = new ArrayList<>();

        operation.run(() -> {}, heard::add);

        assertThat(heard).containsExactly(lack);
    }
}
