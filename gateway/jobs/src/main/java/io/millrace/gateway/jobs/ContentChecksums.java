package io.millrace.gateway.jobs;

import io.millrace.backend.spi.checksum.Base64Digest;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.millrace.gateway.jobs.plan.ExpectedChecksum;
import io.millrace.gateway.jobs.store.PendingUploadStore.Part;
import io.millrace.kit.async.LastPieceGuard;
import io.netty.buffer.ByteBuf;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Flux;

/** Computes checksums of a stream and compares them with the expected ones. Used by one thread at a time. */
final class ContentChecksums {
    private final List<ExpectedChecksum> wanted;
    private final Map<ChecksumAlgorithm, ChecksumDigest> digests = new EnumMap<>(ChecksumAlgorithm.class);

    /** Begins with the checksums of no bytes. */
    ContentChecksums(List<ExpectedChecksum> wanted) {
        this.wanted = wanted;
        wanted.forEach(sum -> digests.computeIfAbsent(sum.algorithm(), ChecksumAlgorithm::newDigest));
    }

    /** Adds the readable bytes; their owner does not change. */
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

    /**
     * Checks the checksums of all parts of the content, in order. A part that has none of an algorithm, because that
     * was not expected when it was stored, leaves the algorithm unchecked.
     *
     * @throws FetchException if a checksum differs
     */
    static void requireCombined(List<ExpectedChecksum> wanted, List<Part> parts) {
        List<ExpectedChecksum> known = wanted.stream()
                .filter(sum -> parts.stream().allMatch(part -> part.sums().containsKey(sum.algorithm())))
                .toList();
        Map<ChecksumAlgorithm, String> sums = parts.get(0).sums();
        for (Part part : parts.subList(1, parts.size())) {
            sums = combined(sums, part);
        }
        require(known, sums);
    }

    private static void require(List<ExpectedChecksum> wanted, Map<ChecksumAlgorithm, String> values) {
        for (ExpectedChecksum sum : wanted) {
            String found = values.getOrDefault(sum.algorithm(), "");
            if (!found.equals(sum.base64())) {
                throw FetchException.lasting("its %s is %s, and %s as %s says"
                        .formatted(sum.algorithm().wireName(), found, "not " + sum.base64(), sum.teller()));
            }
        }
    }

    private static Map<ChecksumAlgorithm, String> combined(Map<ChecksumAlgorithm, String> first, Part next) {
        Map<ChecksumAlgorithm, String> both = new EnumMap<>(ChecksumAlgorithm.class);
        next.sums().forEach((algorithm, value) -> {
            String before = first.get(algorithm);
            if (before != null) {
                both.put(
                        algorithm,
                        Base64Digest.encode(
                                algorithm.combine(bytes(algorithm, before), bytes(algorithm, value), next.size())));
            }
        });
        return both;
    }

    private static byte[] bytes(ChecksumAlgorithm algorithm, String value) {
        return algorithm.decode(value).orElseThrow(() -> new IllegalStateException("no " + algorithm + ": " + value));
    }
}
