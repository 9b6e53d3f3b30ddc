package io.millrace.gateway.objects.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.s3.observe.OutcomeCategory;
import io.millrace.gateway.s3.observe.RequestRecord;
import io.millrace.gateway.s3.observe.SavingsRecorder;
import io.millrace.gateway.s3.protocol.S3Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Savings exist only for existing buckets and in bounded number, because clients can send any bucket name. */
class LazyBucketSavingsTest {
    private static final ObjectKey KEY = new ObjectKey("k");

    private final List<String> begun = new ArrayList<>();
    private final BucketSavingsRegistry accounts = new BucketSavingsRegistry(
            (backend, bucket) -> Optional.empty(),
            account -> begun.add(account.statement().bucket()));
    private final InMemoryBackend backend = new InMemoryBackend();
    private final BucketRegistry buckets = new BucketRegistry(
            List.of(entry("named", Optional.of(new BucketName("real"))), entry("*", Optional.empty())),
            Map.of("memory", backend),
            accounts);
    private final SavingsRecorder recorder =
            new SavingsRecorder(name -> buckets.findAny(name).map(BucketView::savings));

    @Test
    void configuredBucketHasCountersFromTheStart() {
        assertThat(begun).containsExactly("real");
    }

    @Test
    void nameOfNoBucketBeginsNone() {
        for (int i = 0; i < 2000; i++) {
            BucketView junk = buckets.find(new BucketName("junk-" + i));
            ReadRequest request = ReadRequest.of(junk.at(KEY));
            ignoringRefusal(junk.head(request));
            ignoringRefusal(junk.open(request));
            recorder.ended(read(junk.name(), 404));
        }

        assertThat(begun).containsExactly("real");
        assertThat(accounts.statements())
                .extracting(BucketSavings.SavingsSnapshot::bucket)
                .containsExactly("real");
    }

    @Test
    void countsTheFirstReadOfABucket() {
        backend.store(new ObjectRef(new BucketName("there"), KEY), new byte[100], HeaderList.EMPTY);
        BucketView there = buckets.find(new BucketName("there"));

        there.open(ReadRequest.of(there.at(KEY)))
                .flatMapMany(content -> content.body())
                .doOnNext(piece -> piece.release())
                .blockLast();
        recorder.ended(read(there.name(), 200));
        recorder.ended(read(there.name(), 404));

        assertThat(begun).containsExactly("real", "there");
        BucketSavings.SavingsSnapshot statement = accounts.statements().get(1);
        assertThat(statement.requestsSent()).isEqualTo(1);
        assertThat(statement.bytesFetched()).isEqualTo(100);
        assertThat(statement.requestsServed()).isEqualTo(2);
        assertThat(statement.bytesServed()).isEqualTo(100);
    }

    @Test
    void cacheHitCreatesCounters() {
        recorder.ended(read(new BucketName("cached"), 200));

        assertThat(begun).containsExactly("real", "cached");
    }

    private static void ignoringRefusal(Mono<?> read) {
        assertThat(read.map(response -> 200)
                        .onErrorResume(BackendException.class, none -> Mono.just(404))
                        .block(Duration.ofSeconds(10)))
                .isEqualTo(404);
    }

    private static BucketSettings entry(String name, Optional<BucketName> real) {
        return BucketViews.settings(name, "memory", real, "");
    }

    private static RequestRecord read(BucketName bucket, int status) {
        return new RequestRecord(
                "id",
                Optional.empty(),
                true,
                true,
                Optional.of(S3Operation.GET_OBJECT),
                "who",
                "who",
                "peer",
                "GET",
                "/b/k",
                status,
                OutcomeCategory.OK,
                10,
                20,
                0,
                status == 200 ? 100 : 0,
                Optional.empty(),
                false,
                Optional.of(bucket),
                List.of(),
                Optional.empty(),
                Optional.empty());
    }
}
