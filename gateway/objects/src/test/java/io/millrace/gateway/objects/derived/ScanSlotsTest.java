package io.millrace.gateway.objects.derived;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.testkit.Polling;
import io.millrace.kit.share.Party;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Few scans run at a time, few wait, and each that waits has its turn. */
class ScanSlotsTest {
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final List<Sinks.One<String>> begun = new CopyOnWriteArrayList<>();

    @Test
    void scanWaitsUntilAnotherHasEnded() {
        ScanSlots slots = new ScanSlots(2, 10);
        run(slots, 3);

        assertThat(begun).hasSize(2);
        assertThat(slots.running()).isEqualTo(2);
        assertThat(slots.waiting()).isEqualTo(1);
        begun.get(0).tryEmitValue("done");
        Polling.until("the third has begun", () -> begun.size() == 3);
        begun.get(1).tryEmitError(new IllegalStateException("failed"));
        begun.get(2).tryEmitValue("done");
        run(slots, 2);

        assertThat(begun).hasSize(5);
    }

    @Test
    void tooManyAreRefused() {
        ScanSlots slots = new ScanSlots(1, 4);
        run(slots, 1 + 4 + 3);

        assertThat(begun).hasSize(1);
        assertThat(failures)
                .hasSizeGreaterThanOrEqualTo(3)
                .allMatch(failure ->
                        failure instanceof BackendException known && known.kind() == BackendException.FailureKind.BUSY);
    }

    private void run(ScanSlots slots, int count) {
        List<Mono<String>> scans = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            scans.add(slots.run(Party.GATEWAY, Mono.defer(() -> {
                Sinks.One<String> result = Sinks.one();
                begun.add(result);
                return result.asMono();
            })));
        }
        scans.forEach(scan -> scan.subscribe(result -> {}, failures::add));
    }
}
