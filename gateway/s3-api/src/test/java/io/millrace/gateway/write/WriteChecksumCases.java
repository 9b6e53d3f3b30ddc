package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checksums are verified before anything is stored, kept, and given back. */
interface WriteChecksumCases extends EndpointWriteCases {
    @ParameterizedTest
    @EnumSource
    default void storesAndReturnsChecksumOfTheHeaders(TestChecksum sum) throws IOException {
        assumeTrue(can(OptionalFeature.ALL_CHECKSUMS), "keeps other checksums");
        byte[] bytes = GeneratedBytes.of("sum").first(70_000);

        RawClient.Response written =
                send(SignedWriteRequest.put(target("sum-" + sum), bytes).with(sum.line(bytes)));

        assertThat(written.status()).as(written.text()).isEqualTo(200);
        assertThat(written.headers()).containsEntry(sum.field(), sum.of(bytes));
        assertSummed("sum-" + sum, sum, bytes);
    }

    @ParameterizedTest
    @EnumSource
    default void storesAndReturnsTrailingChecksum(TestChecksum sum) throws IOException {
        assumeTrue(can(OptionalFeature.ALL_CHECKSUMS), "keeps other checksums");
        assumeTrue(sum != TestChecksum.CRC32C || can(OptionalFeature.CRC32C_TRAILERS), "refuses CRC32C in trailers");
        byte[] bytes = GeneratedBytes.of("trailed").first(70_000);
        String key = "trailed-" + sum;

        for (SignedWriteRequest ask : List.of(
                SignedWriteRequest.of("PUT", target(key)).unsignedChunks(bytes, 65_536, sum.line(bytes)),
                SignedWriteRequest.of("PUT", target(key)).signedChunks(bytes, 65_536, sum.line(bytes)))) {
            RawClient.Response written = send(ask);

            assertThat(written.status()).as(written.text()).isEqualTo(200);
            assertThat(written.headers()).containsEntry(sum.field(), sum.of(bytes));
            assertSummed(key, sum, bytes);
        }
    }

    private void assertSummed(String key, TestChecksum sum, byte[] bytes) throws IOException {
        assertThat(head(key).headers()).doesNotContainKey(sum.field());
        for (int i = 0; i < 2; i++) {
            assertThat(get(key, "x-amz-checksum-mode: ENABLED").headers()).containsEntry(sum.field(), sum.of(bytes));
            assertThat(head(key, "x-amz-checksum-mode: ENABLED").headers()).containsEntry(sum.field(), sum.of(bytes));
        }
        assertHolds(key, bytes);
    }

    /** Each of what may be said wrongly of a body, with S3's answer to it. */
    @ParameterizedTest
    @EnumSource
    default void aBodyWithAWrongChecksumIsRefused(TestChecksum sum) throws IOException {
        assumeTrue(can(OptionalFeature.DISCARDS_CUT_BODIES), "stores bodies that are cut");
        byte[] bytes = GeneratedBytes.of("right").first(70_000);
        String wrong = sum.line(GeneratedBytes.of("wrong").first(70_000));

        for (SignedWriteRequest ask : List.of(
                SignedWriteRequest.put(target("sum"), bytes).with(wrong),
                SignedWriteRequest.of("PUT", target("sum")).with(wrong).signedChunks(bytes, 20_000),
                SignedWriteRequest.of("PUT", target("sum")).unsignedChunks(bytes, 20_000, wrong),
                SignedWriteRequest.of("PUT", target("sum")).signedChunks(bytes, 20_000, wrong))) {
            assertStoresNothing(ask, 400, "BadDigest");
        }
    }

    @Test
    default void aBodyWithAnotherHashIsRefused() throws IOException {
        assumeTrue(can(OptionalFeature.DISCARDS_CUT_BODIES), "stores bodies that are cut");
        byte[] bytes = GeneratedBytes.of("right").first(70_000);
        byte[] other = GeneratedBytes.of("wrong").first(70_000);

        assertStoresNothing(
                SignedWriteRequest.put(target("sum"), bytes).hash(PayloadSigning.sha256(other)),
                400,
                "XAmzContentSHA256Mismatch");
        assertStoresNothing(
                SignedWriteRequest.put(target("sum"), bytes).with("Content-MD5: " + TestChecksum.md5(other)),
                400,
                "BadDigest");
        assertStoresNothing(
                SignedWriteRequest.put(target("sum"), bytes).with("Content-MD5: nonsense"), 400, "InvalidDigest");
        assertStoresNothing(
                SignedWriteRequest.put(target("sum"), bytes).with("x-amz-checksum-crc32: nonsense"),
                400,
                "InvalidRequest");
        assertStoresNothing(
                SignedWriteRequest.put(target("sum"), new byte[0]).hash(PayloadSigning.sha256(other)),
                400,
                "XAmzContentSHA256Mismatch");
        assertStoresNothing(
                SignedWriteRequest.of("PUT", target("sum"))
                        .unsignedChunks(new byte[0], 1, TestChecksum.CRC32.line(other)),
                400,
                "BadDigest");
    }

    @Test
    default void aRightMd5IsTaken() throws IOException {
        byte[] bytes = GeneratedBytes.of("md5").first(70_000);

        assertThat(send(SignedWriteRequest.put(target("md5"), bytes).with("Content-MD5: " + TestChecksum.md5(bytes)))
                        .status())
                .isEqualTo(200);
        assertHolds("md5", bytes);
    }

    /** Nothing of a signed stream counts before its signature does, wherever it was changed. */
    @Test
    default void changedSignedStreamIsNeverStored() throws IOException {
        byte[] bytes = GeneratedBytes.of("stream").first(20_000);
        SignedWriteRequest ask = SignedWriteRequest.of("PUT", target("changed"))
                .signedChunks(bytes, 8192, TestChecksum.CRC32.line(bytes));
        String right = ask.bodyText();
        List<Integer> places = new ArrayList<>(List.of(200, 5000, 12_000, 18_000));
        for (String mark : List.of("0;chunk-signature=", "x-amz-trailer-signature:", "x-amz-checksum-crc32:")) {
            places.add(right.indexOf(mark) + mark.length() + 2);
        }
        for (int place : places) {
            char other = right.charAt(place) == 'a' ? 'b' : 'a';
            String changed = right.substring(0, place) + other + right.substring(place + 1);
            RawClient.Response response = RawClient.ask(gateway().port(), ask.textWithBody(changed));

            assertThat(response.status()).as("changed at %d", place).isIn(400, 403);
            assertAbsent("changed");
        }
    }

    /** Neither where nothing was, nor over something. */
    private void assertStoresNothing(SignedWriteRequest ask, int status, String code) throws IOException {
        sdk().deleteObject(delete -> delete.bucket(bucket()).key("sum"));
        EndpointWriteCases.assertError(send(ask), status, code);
        assertAbsent("sum");

        byte[] before = storedAndRead("sum", "before", 1000);
        EndpointWriteCases.assertError(send(ask), status, code);
        assertHolds("sum", before);
    }
}
