package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.DifficultKeys;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.data.ReferenceChecksum;
import io.millrace.backend.testkit.data.UnreleasedBytesProbe;
import io.millrace.backend.testkit.data.UploadBodies;
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

/** A write can be read back at once; a failed write leaves nothing. */
interface WriteContract extends WriteSupport {
    /** Maximum bytes that a slow upload may hold in memory. */
    int MOST_IN_FLIGHT = 1 << 20;

    /** Returns whether this checksum, sent with a write, is stored and returned. */
    boolean storesChecksum(String algorithm);

    @Test
    default void writtenObjectIsReadAtOnce() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        byte[] bytes = GeneratedBytes.of("written").first(300_001);

        WriteResult written = put("a/written.bin", bytes);

        assertContent("a/written.bin", bytes);
        ObjectHead head = head(readRequest(new ObjectKey("a/written.bin"))).head();
        assertThat(head.eTag()).isEqualTo(written.eTag()).isPresent();
        assertThat(head.size()).isEqualTo(bytes.length);
    }

    @Test
    default void eTagOfASinglePutIsItsMd5() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        assumeTrue(hasMd5Tags(), "has tags of its own");
        byte[] bytes = GeneratedBytes.of("md5").first(1000);

        assertThat(put("md5", bytes).eTag().orElseThrow().opaque()).isEqualTo(ReferenceChecksum.md5(bytes));
    }

    /** Clients compare what looks like an MD5 with that of the bytes. */
    @Test
    default void nonMd5ETagDoesNotLookLikeMd5() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        assumeFalse(hasMd5Tags(), "has the MD5 as its tag");

        assertThat(put("md5", new byte[] {1}).eTag().orElseThrow().opaque()).doesNotMatch("[0-9a-fA-F]{32}");
    }

    @Test
    default void objectsOfAllSizesAreWrittenWhole() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        for (int size :
                new int[] {0, 1, UploadBodies.PIECE, UploadBodies.PIECE + 1, 64 << 10, (64 << 10) + 1, 12_345_678}) {
            byte[] bytes = GeneratedBytes.of("size").first(size);
            put("size-" + size, bytes);
            assertContent("size-" + size, bytes);
        }
    }

    @Test
    default void writtenHeadersComeBackExactly() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
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

        assertThat(head(readRequest(new ObjectKey("described")))
                        .head()
                        .headers()
                        .fields())
                .containsAll(headers.fields());
    }

    @Test
    default void newerWriteReplacesBytesAndHeaders() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        HeaderList old = HeaderList.EMPTY.with("x-amz-meta-old", "1");
        put(
                target("twice", old, WriteCondition.ALWAYS),
                GeneratedBytes.of("old").first(1000));

        put("twice", GeneratedBytes.of("new").first(900));

        assertContent("twice", GeneratedBytes.of("new").first(900));
        assertThat(head(readRequest(new ObjectKey("twice"))).head().headers().first("x-amz-meta-old"))
                .isEmpty();
    }

    @Test
    default void namesOfTheTortureListAreWrittenAndDeleted() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        List<ObjectKey> keys =
                DifficultKeys.keys().stream().filter(this::supportsKey).toList();

        keys.forEach(key -> put(key.value(), key.utf8()));
        assertThat(keys).allSatisfy(key -> assertContent(key.value(), key.utf8()));

        keys.forEach(key -> delete(new ObjectRef(bucket(), key)));
        assertThat(keys).allSatisfy(key -> assertMissing(key.value()));
    }

    @Test
    default void writesStartOnSubscription() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        AtomicInteger subscriptions = new AtomicInteger();
        byte[] bytes = GeneratedBytes.of("later").first(100);
        UploadBody body = UploadBody.of(
                100, UploadBodies.pieces(bytes, 100).doOnSubscribe(subscription -> subscriptions.incrementAndGet()));

        var write = backend().put(target("later"), body);

        assertMissing("later");
        assertThat(subscriptions).hasValue(0);
        ContractSupport.await(write);
        assertThat(subscriptions).hasValue(1);
        assertContent("later", bytes);
    }

    @Test
    default void bodyIsTakenAtTheBackendsPace() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        byte[] bytes = GeneratedBytes.of("paced").first(16 << 20);
        UnreleasedBytesProbe inFlight = new UnreleasedBytesProbe(UploadBodies.pieces(bytes, bytes.length));

        ContractSupport.await(backend().put(target("paced"), UploadBody.of(bytes.length, inFlight.pieces())));

        assertThat(inFlight.maxBytes()).isBetween(1L, (long) MOST_IN_FLIGHT);
        assertContent("paced", bytes);
    }

    @Test
    default void failingBodyFailsTheWriteAndKeepsTheObject() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        byte[] bytes = GeneratedBytes.of("failing").first(500_000);
        put("failing", GeneratedBytes.of("before").first(10));

        for (int upTo : new int[] {0, 1, 250_000, bytes.length - 1}) {
            IllegalStateException failure = new IllegalStateException("behind " + upTo);
            assertThatThrownBy(() -> backend()
                            .put(target("failing"), UploadBodies.failing(bytes, upTo, failure))
                            .block(TIMEOUT))
                    .satisfies(reported -> assertThat(reported).hasMessageContaining(failure.getMessage()));
            assertContent("failing", GeneratedBytes.of("before").first(10));
        }
    }

    @Test
    default void bodyOfAnotherLengthIsNotStored() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        byte[] bytes = GeneratedBytes.of("lying").first(100_000);

        assertThatThrownBy(() -> backend()
                        .put(target("short"), UploadBodies.truncated(bytes, 99_999))
                        .block(TIMEOUT))
                .isNotNull();
        assertThatThrownBy(() -> backend()
                        .put(target("long"), UploadBody.of(99_999, UploadBodies.pieces(bytes, 100_000)))
                        .block(TIMEOUT))
                .isNotNull();

        assertMissing("short");
        assertMissing("long");
    }

    @Test
    default void cancelledWriteStoresNothingAndCancelsItsBody() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        byte[] bytes = GeneratedBytes.of("given-up").first(200_000);
        AtomicInteger taken = new AtomicInteger();
        AtomicBoolean cancelled = new AtomicBoolean();
        UploadBody stalling = UploadBody.of(
                bytes.length,
                UploadBodies.pieces(bytes, 100_000)
                        .doOnNext(piece -> taken.addAndGet(piece.readableBytes()))
                        .concatWith(Flux.never())
                        .doOnCancel(() -> cancelled.set(true)));

        Disposable write = backend().put(target("given-up"), stalling).subscribe(written -> {
            throw new AssertionError("written: " + written);
        });
        Polling.until("the first half is taken", () -> taken.get() == 100_000);
        write.dispose();

        Polling.until("the body is given up", cancelled::get);
        assertMissing("given-up");
        put("given-up", new byte[] {1});
        assertContent("given-up", new byte[] {1});
    }

    @Test
    default void writeToAMissingBucketFails() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        NewObject nowhere = new NewObject(
                new ObjectRef(new BucketName("millrace-no-such-bucket"), new ObjectKey("key")),
                HeaderList.EMPTY,
                WriteCondition.ALWAYS);

        ContractSupport.assertFailure(
                backend().put(nowhere, UploadBodies.of(new byte[10])), FailureKind.NO_SUCH_BUCKET);
    }

    @Test
    default void contentMd5IsForTheWayAndNotStored() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        HeaderList headers = HeaderList.EMPTY.with("content-md5", "CY9rzUYh03PK3k6DJie09g==");

        put(target("summed", headers, WriteCondition.ALWAYS), "test".getBytes(StandardCharsets.UTF_8));

        assertThat(head(readRequest(new ObjectKey("summed"))).head().headers().first("content-md5"))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(ReferenceChecksum.class)
    default void storesTheChecksumOfAWrite(ReferenceChecksum sum) {
        assumeTrue(supports(Capability.WRITE) && supports(Capability.CHECKSUMS), "keeps no checksums");
        assumeTrue(storesChecksum(sum.name()), "keeps no " + sum);
        byte[] bytes = GeneratedBytes.of("summed").first(100_000);
        HeaderList headers = HeaderList.EMPTY
                .with(sum.headerName(), sum.compute(bytes))
                .with("x-amz-sdk-checksum-algorithm", sum.name());

        WriteResult written = put(target("summed", headers, WriteCondition.ALWAYS), bytes);

        assertThat(written.headers().first(sum.headerName())).contains(sum.compute(bytes));
        ObjectKey key = new ObjectKey("summed");
        assertThat(head(readRequest(key).withChecksums()).head().headers().first(sum.headerName()))
                .contains(sum.compute(bytes));
        assertThat(head(readRequest(key)).head().headers().first(sum.headerName()))
                .isEmpty();
    }

    @Test
    default void storesTrailingChecksum() {
        assumeTrue(supports(Capability.WRITE) && supports(Capability.CHECKSUMS), "keeps no checksums");
        assumeTrue(storesChecksum(ReferenceChecksum.CRC32.name()), "keeps no CRC32");
        byte[] bytes = GeneratedBytes.of("trailed").first(100_000);
        String field = ReferenceChecksum.CRC32.headerName();
        String sum = ReferenceChecksum.CRC32.compute(bytes);

        WriteResult written =
                ContractSupport.await(backend().put(target("trailed"), UploadBodies.withTrailer(bytes, field, sum)));

        assertThat(written.headers().first(field)).contains(sum);
        ObjectHead head =
                head(readRequest(new ObjectKey("trailed")).withChecksums()).head();
        assertThat(head.headers().first(field)).contains(sum);
        assertContent("trailed", bytes);
    }

    @Test
    default void ofManyWritersAtOnceOneRemainsWhole() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        List<WriteResult> written = ContractSupport.await(Flux.range(0, 12)
                .flatMap(
                        i -> backend()
                                .put(
                                        target(
                                                "contended",
                                                HeaderList.EMPTY.with("x-amz-meta-writer", "" + i),
                                                WriteCondition.ALWAYS),
                                        UploadBodies.of(new GeneratedBytes("contended", i).first(50_000 + i)))
                                .subscribeOn(Schedulers.boundedElastic()),
                        12)
                .collectList());

        ObjectHead head = head(readRequest(new ObjectKey("contended"))).head();
        int winner = Integer.parseInt(head.headers().first("x-amz-meta-writer").orElseThrow());
        assertContent("contended", new GeneratedBytes("contended", winner).first(50_000 + winner));
        assertThat(written).extracting(WriteResult::eTag).contains(head.eTag());
    }
}
