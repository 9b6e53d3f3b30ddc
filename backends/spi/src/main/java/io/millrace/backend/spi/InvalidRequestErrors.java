package io.millrace.backend.spi;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;

/** Creates the errors for requests that S3 rejects with status 400, with S3's codes and messages. */
public final class InvalidRequestErrors {
    private InvalidRequestErrors() {}

    public static BackendException invalidPart(int number) {
        return error(
                "InvalidPart",
                "One or more of the specified parts could not be found. The part may not have been uploaded, or the"
                        + " specified entity tag may not match the part's entity tag: part " + number + ".");
    }

    public static BackendException invalidPartOrder() {
        return error(
                "InvalidPartOrder",
                "The list of parts was not in ascending order. The parts list must be specified in order by part"
                        + " number.");
    }

    public static BackendException entityTooSmall(int number) {
        return error(
                "EntityTooSmall",
                "Your proposed upload is smaller than the minimum allowed size: part %d.".formatted(number));
    }

    public static BackendException badDigest(ChecksumAlgorithm algorithm) {
        return error("BadDigest", "The %s you specified did not match the calculated checksum.".formatted(algorithm));
    }

    public static BackendException error(String code, String message) {
        return new BackendException(FailureKind.INVALID_REQUEST, message).withS3Error(new S3Error(400, code, message));
    }
}
