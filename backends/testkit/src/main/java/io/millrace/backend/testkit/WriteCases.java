package io.millrace.backend.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.Written;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** What is written is what is read, at once; what fails leaves nothing. */
interface WriteCases extends WriterCases {
    /** What a slow upload may hold. */
    int MOST_IN_FLIGHT = 1 << 20;

    /** Whether this checksum, given with a write, is kept and told again. */
    boolean keeps(String algorithm);

    @Test
    default void writtenObjectIsReadAtOnce() {
        assumeTrue(can(Capability.WRITE), "takes no writes");
        byte[] bytes = Bytes.of("written").first(300_001);

        Written written = put("a/written.bin", bytes);

        assertHolds("a/written.bin", bytes);
        ObjectHead head = head(asking(new ObjectKey("a/written.bin"))).head();
        assertThat(head.eTag()).isEqualTo(written.eTag()).isPresent();
        assertThat(head.size()).isEqualTo(bytes.length);
    }

    @Test
    default void tagOfWhatIsWrittenInOnePieceIsItsMd5() {
        assumeTrue(can(Capability.WRITE), "takes no writes");
        byte[] bytes = Bytes.of("md5").first(1000);

        assertThat(put("md5", bytes).eTag().orElseThrow().opaque()).isEqualTo(StoredObject.md5(bytes));
    }

    @Test
    default void objectsOfAllSizesAreWrittenWhole() {
        assumeTrue(can(Capability.WRITE), "takes no writes");
        for (int size : new int[] {0, 1, Body.PIECE, Body.PIECE + 1, 64 << 10, (64 << 10) + 1, 12_345_678}) {
            byte[] bytes = Bytes.of("size").first(size);
            put("size-" + size, bytes);
            assertHolds("size-" + size, bytes);
        }
    }

    @Test
    default void writtenHeadersComeBackExactly() {
        assumeTrue(can(Capability.WRITE), "takes no writes");
        HeaderList headers = HeaderList.EMPTY
                .with("content-type", "Application/X-Millrace; a=b")
                .with("content-encoding", "x-nothing")
                .with("content-language", "de-CH, fr")
                .with("content-disposition", "attachment; filename=\"a b;c.txt\"")
                .with("cache-control", "no-transform, max-age=60")
                .with("expires", "Wed, 01 Dec 2094 16:00:00 GMT")
                .with("x-amz-meta-plain", "value")
                .with("x-amz-meta-odd", "two  spaces; \"quotes\", commas = equals % percent + plus");

        put(target("described", headers, WriteCondition.ALWAYS), new byte[] {1});

        assertThat(head(asking(new ObjectKey("described"))).head().headers().fields())
                .containsAll(headers.fields());
    }

    @Test
    default void newerWriteReplacesBytesAndHeaders() {
        assumeTrue(can(Capability.WRITE), "takes no writes");
        HeaderList old = HeaderList.EMPTY.with("x-amz-meta-old", "1");
        put(target("twice", old, WriteCondition.ALWAYS), Bytes.of("old").first(1000));

        put("twice", Bytes.of("new").first(900));

        assertHolds("twice", Bytes.of("new").first(900));
        assertThat(head(asking(new ObjectKey("twice"))).head().headers().first("x-amz-meta-old"))
                .isEmpty();
    }

    @Test
    default void namesOfTheTortureListAreWrittenAndDeleted() {
        assumeTrue(can(Capability.WRITE), "takes no writes");
        List<ObjectKey> keys = KeyTorture.keys().stream().filter(this::canHold).toList();

        keys.forEach(key -> put(key.value(), key.utf8()));
        assertThat(keys).allSatisfy(key -> assertHolds(key.value(), key.utf8()));

        keys.forEach(key -> delete(new ObjectRef(bucket(), key)));
        assertThat(keys).allSatisfy(key -> assertMissing(key.value()));
    }

    @Test
    default void nothingIsWrittenBeforeSubscription() {
        assumeTrue(can(Capability.WRITE), "takes no writes");
        AtomicInteger subscriptions = new AtomicInteger();
        byte[] bytes = Bytes.of("later").first(100);
        UploadBody body = UploadBody.of(
                100, Body.pieces(bytes, 100).doOnSubscribe(subscription -> subscriptions.incrementAndGet()));

        var write = backend().put(target("later"), body);

        assertMissing("later");
        assertThat(subscriptions).hasValue(0);
        ContractCases.await(write);
        assertThat(subscriptions).hasValue(1);
        assertHolds("later", bytes);
    }

    @Test
    default void bodyIsTakenAtTheBackendsPace() {
        assumeTrue(can(Capability.WRITE), "takes no writes");
        byte[] bytes = Bytes.of("paced").first(16 << 20);
        InFlight inFlight = new InFlight(Body.pieces(bytes, bytes.length));

        ContractCases.await(backend().put(target("paced"), UploadBody.of(bytes.length, inFlight.pieces())));

        assertThat(inFlight.most()).isBetween(1L, (long) MOST_IN_FLIGHT);
        assertHolds("paced", bytes);
    }

    @Test
    default void bodyThatFailsFailsTheWriteAndLeavesWhatWasThere() {
        assumeTrue(can(Capability.WRITE), "takes no writes");
        byte[] bytes = Bytes.of("failing").first(500_000);
        put("failing", Bytes.of("before").first(10));

        for (int upTo : new int[] {0, 1, 250_000, bytes.length - 1}) {
            IllegalStateException failure = new IllegalStateException("behind " + upTo);
            assertThatThrownBy(() -> backend()
                            .put(target("failing"), Body.failing(bytes, upTo, failure))
                            .block(PATIENCE))
                    .satisfies(told -> assertThat(told).hasMessageContaining(failure.getMessage()));
            assertHolds("failing", Bytes.of("before").first(10));
        }
    }

    @Test
    default void bodyOfAnotherLengthIsNotStored() {
        assumeTrue(can(Capability.WRITE), "takes no writes");
        byte[] bytes = Bytes.of("lying").first(100_000);

        assertThatThrownBy(() ->
                        backend().put(target("short"), Body.cut(bytes, 99_999)).block(PATIENCE))
                .isNotNull();
        assertThatThrownBy(() -> backend()
                        .put(target("long"), UploadBody.of(99_999, Body.pieces(bytes, 100_000)))
                        .block(PATIENCE))
                .isNotNull();

        assertMissing("short");
        assertMissing("long");
    }

    @Test
    default void writeThatIsGivenUpLeavesNothingAndGivesItsBodyUp() {
        assumeTrue(can(Capability.WRITE), "takes no writes");
        byte[] bytes = Bytes.of("given-up").first(200_000);
        AtomicInteger taken = new AtomicInteger();
        AtomicBoolean cancelled = new AtomicBoolean();
        UploadBody stalling = UploadBody.of(
                bytes.length,
                Body.pieces(bytes, 100_000)
                        .doOnNext(piece -> taken.addAndGet(piece.readableBytes()))
                        .concatWith(Flux.never())
                        .doOnCancel(() -> cancelled.set(true)));

        Disposable write = backend().put(target("given-up"), stalling).subscribe(written -> {
            throw new AssertionError("written: " + written);
        });
        WriterCases.await("the first half is taken", () -> taken.get() == 100_000);
        write.dispose();

        WriterCases.await("the body is given up", cancelled::get);
        assertMissing("given-up");
        put("given-up", new byte[] {1});
        assertHolds("given-up", new byte[] {1});
    }

    @Test
    default void writeToAMissingBucketFails() {
        assumeTrue(can(Capability.WRITE), "takes no writes");
        NewObject nowhere = new NewObject(
                new ObjectRef(new BucketName("millrace-no-such-bucket"), new ObjectKey("key")),
                HeaderList.EMPTY,
                WriteCondition.ALWAYS);

        ContractCases.failure(backend().put(nowhere, Body.of(new byte[10])), Kind.NO_SUCH_BUCKET);
    }

    @Test
    default void contentMd5IsForTheWayAndNotStored() {
        assumeTrue(can(Capability.WRITE), "takes no writes");
        HeaderList headers = HeaderList.EMPTY.with("content-md5", "CY9rzUYh03PK3k6DJie09g==");

        put(target("summed", headers, WriteCondition.ALWAYS), "test".getBytes(StandardCharsets.UTF_8));

        assertThat(head(asking(new ObjectKey("summed"))).head().headers().first("content-md5"))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Sums.class)
    default void checksumOfAWriteIsKept(Sums sum) {
        assumeTrue(can(Capability.WRITE) && can(Capability.CHECKSUMS), "keeps no checksums");
        assumeTrue(keeps(sum.name()), "keeps no " + sum);
        byte[] bytes = Bytes.of("summed").first(100_000);
        HeaderList headers =
                HeaderList.EMPTY.with(sum.field(), sum.of(bytes)).with("x-amz-sdk-checksum-algorithm", sum.name());

        Written written = put(target("summed", headers, WriteCondition.ALWAYS), bytes);

        assertThat(written.headers().first(sum.field())).contains(sum.of(bytes));
        ObjectKey key = new ObjectKey("summed");
        assertThat(head(asking(key).withChecksums()).head().headers().first(sum.field()))
                .contains(sum.of(bytes));
        assertThat(head(asking(key)).head().headers().first(sum.field())).isEmpty();
    }

    @Test
    default void checksumBehindTheBodyIsKeptLikeOneBefore() {
        assumeTrue(can(Capability.WRITE) && can(Capability.CHECKSUMS), "keeps no checksums");
        assumeTrue(keeps(Sums.CRC32.name()), "keeps no CRC32");
        byte[] bytes = Bytes.of("trailed").first(100_000);
        String field = Sums.CRC32.field();
        String sum = Sums.CRC32.of(bytes);

        Written written = ContractCases.await(backend().put(target("trailed"), Body.withTrailer(bytes, field, sum)));

        assertThat(written.headers().first(field)).contains(sum);
        ObjectHead head = head(asking(new ObjectKey("trailed")).withChecksums()).head();
        assertThat(head.headers().first(field)).contains(sum);
        assertHolds("trailed", bytes);
    }

    @Test
    default void ofManyWritersAtOnceOneRemainsWhole() {
        assumeTrue(can(Capability.WRITE), "takes no writes");
        List<Written> written = ContractCases.await(Flux.range(0, 12)
                .flatMap(
                        i -> backend()
                                .put(
                                        target(
                                                "contended",
                                                HeaderList.EMPTY.with("x-amz-meta-writer", "" + i),
                                                WriteCondition.ALWAYS),
                                        Body.of(new Bytes("contended", i).first(50_000 + i)))
                                .subscribeOn(Schedulers.boundedElastic()),
                        12)
                .collectList());

        ObjectHead head = head(asking(new ObjectKey("contended"))).head();
        int winner = Integer.parseInt(head.headers().first("x-amz-meta-writer").orElseThrow());
        assertHolds("contended", new Bytes("contended", winner).first(50_000 + winner));
        assertThat(written).extracting(Written::eTag).contains(head.eTag());
    }
}
