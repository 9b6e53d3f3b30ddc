package io.millrace.gateway.jobs.download;

import io.millrace.backend.spi.async.LastPieceGuard;
import io.millrace.backend.spi.checksum.Base64Digest;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.millrace.gateway.jobs.fetch.FetchException;
import io.millrace.gateway.jobs.request.ExpectedChecksum;
import io.netty.buffer.ByteBuf;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Flux;

/** Computes checksums of a stream and compares them with the expected ones. Used by one thread at a time. */
final class ContentChecksums {
    private final List<ExpectedChecksum> wanted;
    private final Map<ChecksumAlgorithm, ChecksumDigest> digests = new EnumMap<>(ChecksumAlgorithm.class);

    ContentChecksums(List<ExpectedChecksum> wanted) {
        this.wanted = wanted;
        wanted.forEach(sum -> digests.computeIfAbsent(sum.algorithm(), ChecksumAlgorithm::newDigest));
    }

    void add(ByteBuf piece) {
        digests.values().forEach(digest -> digest.update(piece));
    }

    /** Checks the stream. On a mismatch it fails before its last buffer. */
    Flux<ByteBuf> checked(Flux<ByteBuf> pieces, long length) {
        return LastPieceGuard.of(pieces.doOnNext(this::add), length, this::require);
    }

    /** Returns the checksums so far, in Base64. */
    Map<ChecksumAlgorithm, String> values() {
        Map<ChecksumAlgorithm, String> values = new EnumMap<>(ChecksumAlgorithm.class);
        digests.forEach((algorithm, digest) -> values.put(algorithm, digest.base64()));
        return values;
    }

    /**
     * Checks the complete content.
     *
     * @throws FetchException if a checksum differs
     */
    void require() {
        require(wanted, values());
    }

    /** Checks checksums that were computed elsewhere. */
    static void require(List<ExpectedChecksum> wanted, Map<ChecksumAlgorithm, String> values) {
        for (ExpectedChecksum sum : wanted) {
            String found = values.getOrDefault(sum.algorithm(), "");
            if (!found.equals(sum.base64())) {
                throw FetchException.lasting("its %s is %s, and %s as %s says"
                        .formatted(sum.algorithm().wireName(), found, "not " + sum.base64(), sum.teller()));
            }
        }
    }

    /** Combines the checksums of two consecutive parts. */
    static Map<ChecksumAlgorithm, String> combined(
            Map<ChecksumAlgorithm, String> first, Map<ChecksumAlgorithm, String> second, long lengthOfSecond) {
        Map<ChecksumAlgorithm, String> both = new EnumMap<>(ChecksumAlgorithm.class);
        first.forEach((algorithm, value) -> both.put(
                algorithm,
                Base64Digest.encode(algorithm.combine(
                        bytes(algorithm, value),
                        bytes(algorithm, second.getOrDefault(algorithm, "")),
                        lengthOfSecond))));
        return both;
    }

    private static byte[] bytes(ChecksumAlgorithm algorithm, String value) {
        return algorithm.decode(value).orElseThrow(() -> new IllegalStateException("no " + algorithm + ": " + value));
    }
}
