package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.InvalidRequestErrors;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.WriteHeaderPolicy;
import io.millrace.backend.spi.checksum.Base64Digest;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ReadConditions;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Copies objects within the file backend. Blocks on the disk. */
record ObjectCopier(ObjectLookup lookup, SharedWriteComponents context) {
    /** Copies a whole object; known checksums of its bytes are not computed again. */
    WriteResult copy(CopySource source, NewObject target) throws IOException {
        boolean replaces =
                target.headers().first("x-amz-metadata-directive").stream().anyMatch("REPLACE"::equals);
        if (!replaces && source.object().equals(target.object())) {
            throw InvalidRequestErrors.error(
                    "InvalidRequest",
                    "This copy request is illegal because it is trying to copy an object to itself without changing the"
                            + " object's metadata, storage class, website redirect location or encryption attributes.");
        }
        HeaderList given = WriteHeaderPolicy.storable("file", target.headers());
        Optional<ChecksumAlgorithm> requested = UploadChecksumSpec.algorithm(target.headers());
        ObjectLookup.OpenedObject<ObjectHead> opened = open(source);
        try {
            context.committer().checkEarly(target.object(), target.condition());
            return copy(opened, CopyMetadata.of(opened.selection(), replaces, given, requested), target);
        } finally {
            opened.file().close();
        }
    }

    /** Copies a range of an object, or all of it, into a part. */
    StoredPart copyPart(CopySource source, Optional<ByteRange> range, int number, PartBodySink part)
            throws IOException {
        try {
            part.open();
            ObjectLookup.OpenedObject<ObjectHead> opened = open(source);
            try {
                long first = range.map(ByteRange::first).orElse(0L);
                long size = opened.selection().size();
                long length = range.map(ByteRange::length).orElse(size);
                if (first + length > size) {
                    throw new BackendException(
                                    FailureKind.INVALID_RANGE, "%s is not within %d bytes".formatted(range, size))
                            .withObjectSize(size);
                }
                opened.file().digestInto(part.openedFile(), first, length);
            } finally {
                opened.file().close();
            }
            StoredContentMetadata content = part.store();
            return new StoredPart(number, content.tag(), content.headers(), Optional.of(inSeconds(content)));
        } finally {
            part.abandon();
        }
    }

    private ObjectLookup.OpenedObject<ObjectHead> open(CopySource source) throws IOException {
        return lookup.open(source.object(), source.versionId(), looked -> {
            ObjectHead head = looked.head();
            if (source.conditions().evaluate(head.eTag(), head.lastModified())
                    != ReadConditions.ConditionOutcome.PROCEED) {
                throw new BackendException(
                        FailureKind.PRECONDITION_FAILED, "a condition on %s does not hold".formatted(source.object()));
            }
            return head;
        });
    }

    private WriteResult copy(ObjectLookup.OpenedObject<ObjectHead> source, CopyMetadata plan, NewObject target)
            throws IOException {
        DigestingTemporaryFile file = context.newFileFor(target.object().bucket(), plan.checksumToCompute());
        try {
            long size = source.selection().size();
            if (plan.needsNoRead()) {
                source.file().appendTo(file, 0, size);
            } else {
                source.file().digestInto(file, 0, size);
            }
            StoredContentMetadata content = content(file, plan);
            file.syncAndClose(content.modified());
            context.committer().commit(target.object(), target.condition(), file.path(), content);
            return new WriteResult(
                    Optional.of(content.tag()),
                    SharedWriteComponents.checksumHeaders(content),
                    Optional.of(inSeconds(content)));
        } finally {
            file.discard();
        }
    }

    private StoredContentMetadata content(DigestingTemporaryFile file, CopyMetadata plan) {
        ETag tag = plan.tag().orElseGet(() -> ETag.strong(file.md5Hex()));
        HeaderList sums = plan.checksumToCompute()
                .map(algorithm -> HeaderList.EMPTY.with(
                        algorithm.headerName(),
                        Base64Digest.encode(file.checksum().orElseThrow())))
                .orElse(plan.checksums());
        HeaderList headers =
                plan.headers().with(WriteHeaderPolicy.withChecksumType(sums, UploadChecksumSpec.FULL_OBJECT));
        return new StoredContentMetadata(file.size(), context.temporaryPaths().uniqueTime(), tag, headers);
    }

    private static Instant inSeconds(StoredContentMetadata content) {
        return content.modified().truncatedTo(ChronoUnit.SECONDS);
    }
}
