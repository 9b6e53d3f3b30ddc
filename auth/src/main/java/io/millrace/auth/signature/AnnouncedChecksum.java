package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checksum that the headers of an upload announce for its body: the algorithm, and the value unless it comes in the
 * trailer.
 *
 * @param value the announced value, Base64 of the algorithm's length; empty if it comes in the trailer
 */
record AnnouncedChecksum(ChecksumAlgorithm algorithm, Optional<String> value) {
    /** Headers with the prefix of checksum headers that hold no checksum. */
    private static final Set<String> NO_CHECKSUMS =
            Set.of(UploadChecksumSpec.ALGORITHM_HEADER, ChecksumAlgorithm.MODE_HEADER, UploadChecksumSpec.TYPE_HEADER);

    /**
     * Parses the announcement in the headers of a request.
     *
     * @param trailer whether the payload type has trailing headers
     */
    static Optional<AnnouncedChecksum> of(PayloadHeaders headers, boolean trailer) throws RequestVerificationException {
        List<String> names = headers.namesWith(ChecksumAlgorithm.HEADER_PREFIX).stream()
                .filter(name -> !NO_CHECKSUMS.contains(name))
                .toList();
        List<String> trailers = headers.items(PayloadHeaders.TRAILER);
        if (names.size() + trailers.size() > 1) {
            throw PayloadErrors.invalid(
                    "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.");
        }
        AnnouncedChecksum announced = null;
        if (!names.isEmpty()) {
            announced = inHeader(headers, names.get(0));
        } else if (!trailers.isEmpty()) {
            announced = inTrailer(trailers.get(0), trailer);
        }
        requireAgreement(announced, headers.find(PayloadHeaders.SDK_ALGORITHM));
        return Optional.ofNullable(announced);
    }

    private static AnnouncedChecksum inHeader(PayloadHeaders headers, String name) throws RequestVerificationException {
        ChecksumAlgorithm algorithm = ChecksumAlgorithm.ofHeader(name)
                .orElseThrow(() -> PayloadErrors.invalid(
                        "The algorithm type you specified in x-amz-checksum- header is invalid."));
        Optional<String> value = Optional.ofNullable(headers.find(name));
        if (value.flatMap(algorithm::decode).isEmpty()) {
            throw PayloadErrors.invalidValue(name);
        }
        return new AnnouncedChecksum(algorithm, value);
    }

    private static AnnouncedChecksum inTrailer(String name, boolean trailer) throws RequestVerificationException {
        ChecksumAlgorithm algorithm = ChecksumAlgorithm.ofHeader(name)
                .orElseThrow(() ->
                        PayloadErrors.invalid("The value specified in the x-amz-trailer header is not supported"));
        if (!trailer) {
            throw PayloadErrors.invalid(
                    "x-amz-trailer announces trailing headers, but x-amz-content-sha256 announces none.");
        }
        return new AnnouncedChecksum(algorithm, Optional.empty());
    }

    private static void requireAgreement(@Nullable AnnouncedChecksum announced, @Nullable String sdkAlgorithm)
            throws RequestVerificationException {
        if (sdkAlgorithm == null) {
            return;
        }
        if (announced == null) {
            throw PayloadErrors.invalid(
                    "x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or"
                            + " x-amz-trailer headers were found.");
        }
        if (!announced.algorithm.name().equalsIgnoreCase(sdkAlgorithm)) {
            throw PayloadErrors.invalidValue(PayloadHeaders.SDK_ALGORITHM);
        }
    }
}
