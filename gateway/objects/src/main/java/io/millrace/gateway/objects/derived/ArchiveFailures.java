package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.archive.ArchiveException;
import io.millrace.gateway.archive.ArchiveMember;
import io.millrace.gateway.archive.SampleName;

/** Creates the failures of reads of members. Clients see their messages, which name nothing that they may not know. */
final class ArchiveFailures {
    private ArchiveFailures() {}

    static BackendException noSuchMember(ObjectRef member) {
        return new BackendException(FailureKind.NO_SUCH_KEY, member + " is in no archive");
    }

    static BackendException noSuchSample(ObjectRef archive) {
        return new BackendException(FailureKind.NO_SUCH_KEY, archive + " has no such sample");
    }

    /** The failure of a read of what an archive does not show. */
    static BackendException of(ArchiveException failure) {
        return switch (failure.kind()) {
            case UNSUPPORTED -> notRead(String.valueOf(failure.getMessage()));
            case DAMAGED ->
                invalid("The archive cannot be read from byte %d on: %s"
                        .formatted(failure.position(), failure.getMessage()));
            case TOO_LARGE ->
                invalid("The archive is too large at byte %d: %s".formatted(failure.position(), failure.getMessage()));
        };
    }

    /** Returns a failure of the listing of an archive with its key. */
    static BackendException named(BackendException failure, String archive) {
        boolean isOurs = failure.kind() == FailureKind.INVALID_STATE || failure.kind() == FailureKind.UNSUPPORTED;
        return failure.s3Error()
                .filter(words -> isOurs)
                .map(words -> failure.withS3Error(
                        new S3Error(words.status(), words.code(), archive + ": " + words.message())))
                .orElse(failure);
    }

    /** The failure of a read of an archive of a kind that is not read. */
    static BackendException notRead(String why) {
        return unsupported("The archive cannot be read: " + why);
    }

    /** The failure of a read of a deflated member whose content is too large. */
    static BackendException tooLargeToDecode(long size) {
        return unsupported(("The member is compressed in its zip and has %d bytes, of which at most %d are decoded:"
                        + " make the zip without compression (zip -0)")
                .formatted(size, DecodedMember.MOST_BYTES));
    }

    /** The failure of a read of a sample that is larger than any that is handled as one. */
    static BackendException tooLargeSample() {
        return unsupported("The sample, with the folders whose names begin like it, has more than %d members"
                .formatted(SampleName.MOST_MEMBERS));
    }

    static BackendException notEmpty(ArchiveMember member) {
        return invalid("The archive cannot be read from byte %d on: a member without bytes has a CRC-32 of some"
                .formatted(member.position()));
    }

    static BackendException tooManyDecoders() {
        return new BackendException(FailureKind.BUSY, "too many members wait to be decoded");
    }

    static BackendException withoutVersion() {
        return unsupported("What this is derived from has no strong ETag at its backend, and could be of two versions");
    }

    static BackendException tooManyScans() {
        return new BackendException(FailureKind.BUSY, "too many archives wait for their index");
    }

    private static BackendException invalid(String message) {
        return new BackendException(FailureKind.INVALID_STATE, message)
                .withS3Error(new S3Error(422, "InvalidArchive", message));
    }

    private static BackendException unsupported(String message) {
        return new BackendException(FailureKind.UNSUPPORTED, message)
                .withS3Error(new S3Error(501, "NotImplemented", message));
    }
}
