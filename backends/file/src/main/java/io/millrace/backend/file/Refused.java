package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BackendException.Words;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;

/** Requests that S3 refuses with 400, in its words. */
final class Refused {
    private Refused() {}

    static BackendException invalidPart(int number) {
        return of(
                "InvalidPart",
                "One or more of the specified parts could not be found. The part may not have been uploaded, or the"
                        + " specified entity tag may not match the part's entity tag: part " + number + ".");
    }

    static BackendException invalidPartOrder() {
        return of(
                "InvalidPartOrder",
                "The list of parts was not in ascending order. The parts list must be specified in order by part number.");
    }

    static BackendException entityTooSmall(int number) {
        return of(
                "EntityTooSmall",
                "Your proposed upload is smaller than the minimum allowed size: part %d.".formatted(number));
    }

    static BackendException badDigest(ChecksumAlgorithm algorithm) {
        return of("BadDigest", "The %s you specified did not match the calculated checksum.".formatted(algorithm));
    }

    static BackendException of(String code, String message) {
        return new BackendException(Kind.INVALID_REQUEST, message).inWords(new Words(400, code, message));
    }
}
