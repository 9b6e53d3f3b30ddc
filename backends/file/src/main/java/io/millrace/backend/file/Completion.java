package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads.NamedPart;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.ObjectWriter.Written;
import io.millrace.backend.spi.WriteCondition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes the parts of an upload an object. The parts are copied one behind the other first, under no lock; then the upload is
 * held, and the object takes its place and the upload ends in one step. So two completions at once, or one and an abort, both
 * work, and one of them comes too late. Blocks on the disk.
 */
final class Completion {
    private final Uploads uploads;
    private final EndedUploads ended;
    private final Workshop workshop;

    Completion(Uploads uploads, EndedUploads ended, Workshop workshop) {
        this.uploads = uploads;
        this.ended = ended;
        this.workshop = workshop;
    }

    Written complete(Upload upload, List<NamedPart> named, HeaderList headers, WriteCondition condition)
            throws IOException {
        Optional<StoredContent> before = done(upload, named);
        if (before.isPresent()) {
            return written(before.get());
        }
        try {
            return written(assemble(upload, named, headers, condition));
        } catch (BackendException e) {
            // Another completion may have ended the upload meanwhile; then this one is answered like it.
            Optional<StoredContent> meanwhile =
                    e.kind() == Kind.NO_SUCH_UPLOAD ? done(upload, named) : Optional.empty();
            return written(meanwhile.orElseThrow(() -> e));
        }
    }

    private StoredContent assemble(Upload upload, List<NamedPart> named, HeaderList headers, WriteCondition condition)
            throws IOException {
        UploadInfo info = uploads.find(upload);
        StoredFields.of(headers);
        Assembly assembly = Assembly.of(info, named, parts(info, named), headers);
        workshop.placement().lookAhead(upload.object(), condition);
        TemporaryFile file = workshop.fileFor(upload.object().bucket(), Optional.empty());
        try {
            for (PartFile part : assembly.parts()) {
                if (!part.appendTo(file, info.object())) {
                    throw missing(upload, part.number());
                }
            }
            StoredContent content = assembly.content(workshop.temporaries().time());
            file.finish(content.modified());
            return end(upload, named, condition, file, content);
        } finally {
            file.discard();
        }
    }

    /** What a completion of this upload, with these parts, came to before. */
    private Optional<StoredContent> done(Upload upload, List<NamedPart> named) throws IOException {
        workshop.buckets().folder(upload.object().bucket());
        Optional<StoredContent> content = ended.find(upload, named);
        return content.isPresent() ? content : interrupted(upload, named);
    }

    /** A completion that a crash cut off behind the object's rename. */
    private Optional<StoredContent> interrupted(Upload upload, List<NamedPart> named) throws IOException {
        Optional<StoredContent> content = ended.begun(upload, named);
        if (content.isEmpty() || !workshop.placement().holds(upload.object(), content.get())) {
            return Optional.empty();
        }
        return uploads.ending(upload, () -> {
            if (ended.begun(upload, named).isPresent()) {
                Temporaries.discard(ended.end(upload));
            }
            return content;
        });
    }

    private List<PartFile> parts(UploadInfo info, List<NamedPart> named) throws IOException {
        Assembly.checkOrder(named);
        List<PartFile> parts = new ArrayList<>();
        for (NamedPart part : named) {
            Optional<PartFile> found = uploads.part(info, part.number());
            if (found.isEmpty()) {
                throw missing(info.upload(), part.number());
            }
            parts.add(found.get());
        }
        return parts;
    }

    /** A part is missing from its upload, or the upload is. */
    private BackendException missing(Upload upload, int number) throws IOException {
        uploads.find(upload);
        return Refused.invalidPart(number);
    }

    private StoredContent end(
            Upload upload, List<NamedPart> named, WriteCondition condition, TemporaryFile file, StoredContent content)
            throws IOException {
        List<Path> rest = new ArrayList<>();
        StoredContent result = uploads.ending(upload, () -> {
            Optional<StoredContent> before = done(upload, named);
            if (before.isPresent()) {
                return before.get();
            }
            uploads.find(upload);
            ended.begin(upload, named, content);
            boolean published = false;
            try {
                workshop.placement().publish(upload.object(), condition, file.path(), content);
                published = true;
            } finally {
                if (!published) {
                    ended.takeBack(upload);
                }
            }
            rest.add(ended.end(upload));
            return content;
        });
        rest.forEach(Temporaries::discard);
        return result;
    }

    private static Written written(StoredContent content) {
        return new Written(Optional.of(content.tag()), Workshop.told(content), Optional.empty());
    }
}
