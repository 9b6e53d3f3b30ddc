package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.InvalidRequestErrors;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.UploadCompletion;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.WriteHeaderPolicy;
import io.millrace.backend.spi.object.HeaderList;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Completes multipart uploads. First the parts are copied into one file without a lock; then, under the upload's lock,
 * the object is committed and the upload ends in one step. Of two concurrent completions, or a completion and an abort,
 * one comes too late. Blocks on the disk.
 */
record UploadCompleter(UploadStore uploads, CompletedUploads journal, SharedWriteComponents context) {
    WriteResult complete(
            MultipartUpload upload, List<CompletedPart> named, HeaderList headers, WriteCondition condition)
            throws IOException {
        Optional<StoredContentMetadata> before = previousResult(upload, named);
        if (before.isPresent()) {
            return written(before.get());
        }
        try {
            return written(assemble(upload, named, headers, condition));
        } catch (BackendException e) {
            // Another completion may have ended the upload meanwhile; then this one returns the same result.
            Optional<StoredContentMetadata> meanwhile =
                    e.kind() == FailureKind.NO_SUCH_UPLOAD ? previousResult(upload, named) : Optional.empty();
            return written(meanwhile.orElseThrow(() -> e));
        }
    }

    private StoredContentMetadata assemble(
            MultipartUpload upload, List<CompletedPart> named, HeaderList headers, WriteCondition condition)
            throws IOException {
        StoredUpload info = uploads.find(upload);
        WriteHeaderPolicy.storable("file", headers);
        CompletionPlan assembly = CompletionPlan.of(info, named, parts(info, named), headers);
        context.committer().checkEarly(upload.object(), condition);
        DigestingTemporaryFile file = context.newFileFor(upload.object().bucket(), Optional.empty());
        try {
            for (PartFile part : assembly.parts()) {
                if (!part.appendTo(file, info.object())) {
                    throw missing(upload, part.number());
                }
            }
            StoredContentMetadata content =
                    assembly.contentMetadata(context.temporaryPaths().uniqueTime());
            file.syncAndClose(content.modified());
            return commit(upload, named, condition, file, content);
        } finally {
            file.discard();
        }
    }

    /** Returns the result of an earlier completion of this upload with these parts. */
    private Optional<StoredContentMetadata> previousResult(MultipartUpload upload, List<CompletedPart> named)
            throws IOException {
        context.buckets().folder(upload.object().bucket());
        Optional<StoredContentMetadata> content = journal.findCompleted(upload, named);
        return content.isPresent() ? content : resultOfInterrupted(upload, named);
    }

    /** Returns the result of a completion that a crash interrupted after the object was renamed. */
    private Optional<StoredContentMetadata> resultOfInterrupted(MultipartUpload upload, List<CompletedPart> named)
            throws IOException {
        Optional<StoredContentMetadata> content = journal.findStarted(upload, named);
        if (content.isEmpty() || !context.committer().holds(upload.object(), content.get())) {
            return Optional.empty();
        }
        return uploads.withExclusiveLock(upload, () -> {
            if (journal.findStarted(upload, named).isPresent()) {
                TemporaryPaths.discard(journal.recordCompletion(upload));
            }
            return content;
        });
    }

    private List<PartFile> parts(StoredUpload info, List<CompletedPart> named) throws IOException {
        UploadCompletion.checkOrder(named);
        List<PartFile> parts = new ArrayList<>();
        for (CompletedPart part : named) {
            Optional<PartFile> found = uploads.part(info, part.number());
            if (found.isEmpty()) {
                throw missing(info.upload(), part.number());
            }
            parts.add(found.get());
        }
        return parts;
    }

    /** Returns the error for a missing part, or throws the one for a missing upload. */
    private BackendException missing(MultipartUpload upload, int number) throws IOException {
        uploads.find(upload);
        return InvalidRequestErrors.invalidPart(number);
    }

    private StoredContentMetadata commit(
            MultipartUpload upload,
            List<CompletedPart> named,
            WriteCondition condition,
            DigestingTemporaryFile file,
            StoredContentMetadata content)
            throws IOException {
        List<Path> rest = new ArrayList<>();
        StoredContentMetadata result = uploads.withExclusiveLock(upload, () -> {
            Optional<StoredContentMetadata> before = previousResult(upload, named);
            if (before.isPresent()) {
                return before.get();
            }
            uploads.find(upload);
            journal.recordStart(upload, named, content);
            boolean published = false;
            try {
                context.committer().commit(upload.object(), condition, file.path(), content);
                published = true;
            } finally {
                if (!published) {
                    journal.deleteStart(upload);
                }
            }
            rest.add(journal.recordCompletion(upload));
            return content;
        });
        rest.forEach(TemporaryPaths::discard);
        return result;
    }

    private static WriteResult written(StoredContentMetadata content) {
        return new WriteResult(
                Optional.of(content.tag()), SharedWriteComponents.checksumHeaders(content), Optional.empty());
    }
}
