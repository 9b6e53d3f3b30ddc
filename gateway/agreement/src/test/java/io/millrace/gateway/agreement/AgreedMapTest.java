package io.millrace.gateway.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What voters remember of requests, and what they keep of it. */
class AgreedMapTest {
    private final AgreedMap map = new AgreedMap();

    @Test
    void repeatedRequestHasItsFirstReply() {
        TransactionRequest request = request(0);
        TransactionReply first = map.apply(request, 1);
        map.apply(request(1), 2);

        assertThat(map.apply(request, 3)).isEqualTo(first);
        assertThat(map.range("")).extracting(AgreedEntry::revision).containsExactly(2L);
    }

    /** It may be one that was applied, and is forgotten. */
    @Test
    void requestFromBeforeWhatIsForgottenIsNotApplied() {
        TransactionRequest early = request(0);
        map.apply(early, 1);
        long revision = 1;
        while (revision <= AgreedMap.MOST_REMEMBERED) {
            map.apply(request(revision), ++revision);
        }
        List<AgreedEntry> before = map.range("");

        assertThat(map.apply(early, revision + 1).status()).isEqualTo(TransactionReply.Status.EXPIRED);
        assertThat(map.range("")).isEqualTo(before);
        assertThat(map.apply(request(revision + 1), revision + 2).status()).isEqualTo(TransactionReply.Status.APPLIED);
    }

    @Test
    void snapshotHasEntriesAndReplies() throws IOException {
        TransactionRequest request = request(0);
        TransactionReply reply = map.apply(request, 1);
        AgreedMap copy = new AgreedMap();
        copy.apply(request(0), 7);

        copy.restore(AgreedCodec.snapshot(AgreedCodec.encode(map.snapshot())));

        assertThat(copy.range("")).isEqualTo(map.range(""));
        assertThat(copy.apply(request, 2)).isEqualTo(reply);
    }

    private static TransactionRequest request(long seen) {
        return new TransactionRequest(
                UUID.randomUUID(), seen, new Transaction(List.of(), List.of(new Change.Put("key", "value"))));
    }
}
