package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.read.RawResponse;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The ways to send a body; of each the bytes are stored, and nothing of how they came. */
interface PayloadCases extends EndpointWriteCases {
    /** How a body comes. */
    enum Form {
        HASH,
        UNSIGNED,
        SIGNED_CHUNKS,
        SIGNED_CHUNKS_AND_TRAILER,
        UNSIGNED_CHUNKS_AND_TRAILER;

        /** The request that brings these bytes so. */
        SignedWriteRequest dress(SignedWriteRequest ask, byte[] bytes) {
            return switch (this) {
                case HASH -> ask.hash(PayloadSigning.sha256(bytes)).body(bytes);
                case UNSIGNED -> ask.body(bytes);
                case SIGNED_CHUNKS -> ask.signedChunks(bytes, 10_000);
                case SIGNED_CHUNKS_AND_TRAILER -> ask.signedChunks(bytes, 10_000, TestChecksum.CRC32.line(bytes));
                case UNSIGNED_CHUNKS_AND_TRAILER -> ask.unsignedChunks(bytes, 10_000, TestChecksum.CRC32.line(bytes));
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    default void everyFormOfABodyIsTaken(Form form) throws IOException {
        for (int size : new int[] {0, 1, 10_000, 25_000, 300_000}) {
            if (size == 0 && !can(OptionalFeature.ALL_CHECKSUMS)) {
                continue; // takes an empty body for whole before its trailer
            }
            byte[] bytes = GeneratedBytes.of("form").first(size);

            RawClient.Response response = send(form.dress(SignedWriteRequest.of("PUT", target("form-" + form)), bytes));

            assertThat(response.status()).as("%s: %s", form, response.text()).isEqualTo(200);
            assertHolds("form-" + form, bytes);
        }
    }

    @ParameterizedTest
    @EnumSource
    default void theFramingIsNeverStored(Form form) throws IOException {
        byte[] bytes = GeneratedBytes.of("framed").first(30_000);
        Optional<RawResponse> behind = origin().wire();

        send(form.dress(SignedWriteRequest.of("PUT", target("framed")), bytes));
        assertThat(head("framed").headers()).doesNotContainKey("content-encoding");
        if (behind.isPresent()) {
            assertThat(behind.get().head(target("framed")).headers()).doesNotContainKey("content-encoding");
        }

        send(form.dress(SignedWriteRequest.of("PUT", target("framed")).with("Content-Encoding: zstd"), bytes));
        assertThat(head("framed").headers()).containsEntry("content-encoding", "zstd");
        if (behind.isPresent()) {
            assertThat(behind.get().head(target("framed")).headers()).containsEntry("content-encoding", "zstd");
        }
        assertHolds("framed", bytes);
    }

    /** As it falls onto the wire. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 1000})
    default void storesTheSameBodyForAnyPieceSize(int size) throws Exception {
        byte[] bytes = GeneratedBytes.of("pieces").first(700 * size);
        byte[] request = Form.SIGNED_CHUNKS_AND_TRAILER
                .dress(SignedWriteRequest.of("PUT", target("pieces")), bytes)
                .text()
                .getBytes(StandardCharsets.ISO_8859_1);
        try (RawClient client = new RawClient(gateway().port())) {
            OutputStream out = client.socket().getOutputStream();
            for (int at = 0; at < request.length; at += size) {
                out.write(request, at, Math.min(size, request.length - at));
            }

            assertThat(client.send("").status()).isEqualTo(200);
        }
        assertHolds("pieces", bytes);
    }

    @Test
    default void clientThatExpectsContinueGetsIt() throws IOException {
        byte[] bytes = GeneratedBytes.of("waits").first(100_000);
        SignedWriteRequest ask = SignedWriteRequest.put(target("waits"), bytes).with("Expect: 100-continue");
        try (RawClient client = new RawClient(gateway().port())) {
            assertThat(client.send(ask.head()).status()).isEqualTo(100);
            assertThat(client.send(ask.bodyText()).status()).isEqualTo(200);
        }
        assertHolds("waits", bytes);
    }

    /**
     * aws-cli takes the answer behind one that came without for an answer without fields, and waits a minute for its
     * end.
     */
    @Test
    default void emptyBodyGetsContinueToo() throws IOException {
        byte[] bytes = GeneratedBytes.of("next").first(100);
        SignedWriteRequest empty =
                SignedWriteRequest.put(target("empty"), new byte[0]).with("Expect: 100-continue");
        SignedWriteRequest next = SignedWriteRequest.put(target("next"), bytes).with("Expect: 100-continue");
        SignedWriteRequest refused = SignedWriteRequest.put(target("empty"), new byte[0])
                .by("TESTKEY", "not-the-secret")
                .with("Expect: 100-continue");
        try (RawClient client = new RawClient(gateway().port())) {
            assertThat(client.send(empty.head()).status()).isEqualTo(100);
            assertThat(client.send("").status()).isEqualTo(200);
            assertThat(client.send(next.head()).status()).isEqualTo(100);
            assertThat(client.send(next.bodyText()).status()).isEqualTo(200);
            assertThat(client.send(refused.head()).status()).isEqualTo(100);
            assertThat(client.send("").status()).isEqualTo(403);
        }
        assertHolds("next", bytes);
    }

    /** Whoever is refused must not be asked for five gibibytes first. */
    @Test
    default void refusedClientGetsNoContinue() throws IOException {
        for (SignedWriteRequest ask : new SignedWriteRequest[] {
            SignedWriteRequest.of("PUT", target("refused")).by("TESTKEY", "not-the-secret"),
            SignedWriteRequest.of("PUT", target("refused")).by(RESTRICTED_KEY, RESTRICTED_SECRET),
            SignedWriteRequest.of("PUT", target("refused")).anonymous(),
            SignedWriteRequest.of("PUT", target("refused") + "?partNumber=1&uploadId=x")
                    .by(RESTRICTED_KEY, RESTRICTED_SECRET)
        }) {
            try (RawClient client = new RawClient(gateway().port())) {
                RawClient.Response response = client.send(ask.with("Content-Length: 5368709120", "Expect: 100-continue")
                        .head());

                assertThat(response.status()).as(response.text()).isEqualTo(403);
                assertThat(client.isClosedByServer()).isTrue();
            }
        }
        assertAbsent("refused");
    }

    @Test
    default void refusesTooLargeBodyByItsHeaders() throws IOException {
        SignedWriteRequest ask =
                SignedWriteRequest.of("PUT", target("huge")).with("Content-Length: 5368709121", "Expect: 100-continue");

        try (RawClient client = new RawClient(gateway().port())) {
            EndpointWriteCases.assertError(client.send(ask.head()), 400, "EntityTooLarge");
        }
    }
}
