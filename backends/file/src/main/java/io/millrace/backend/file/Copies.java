package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.Conditions;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.Written;
import io.millrace.backend.spi.checksum.Base64Value;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Copies files inside the backend. Blocks on the disk. */
final class Copies {
    private final Lookup lookup;
    private final Workshop workshop;

    Copies(Lookup lookup, Workshop workshop) {
        this.lookup = lookup;
        this.workshop = workshop;
    }

    /** Copies a whole object; what is known of its bytes already is not computed again. */
    Written copy(CopySource source, NewObject target) throws IOException {
        boolean replaces =
                target.headers().first("x-amz-metadata-directive").stream().anyMatch("REPLACE"::equals);
        if (!replaces && source.object().equals(target.object())) {
            throw Refused.of(
                    "InvalidRequest",
                    "This copy request is illegal because it is trying to copy an object to itself without changing the"
                            + " object's metadata, storage class, website redirect location or encryption attributes.");
        }
        HeaderList given = StoredFields.of(target.headers());
        Optional<ChecksumAlgorithm> asked = UploadSum.algorithm(target.headers());
        Lookup.Opened<ObjectHead> opened = open(source);
        try {
            workshop.placement().lookAhead(target.object(), target.condition());
            return copy(opened, CopyPlan.of(opened.chosen(), replaces, given, asked), target);
        } finally {
            opened.file().close();
        }
    }

    /** Copies a range of an object, or all of it, into a part. */
    StoredPart copyPart(CopySource source, Optional<ByteRange> range, int number, PartTarget part) throws IOException {
        try {
            part.open();
            Lookup.Opened<ObjectHead> opened = open(source);
            try {
                long first = range.map(ByteRange::first).orElse(0L);
                long size = opened.chosen().size();
                long length = range.map(ByteRange::length).orElse(size);
                if (first + length > size) {
                    throw new BackendException(Kind.INVALID_RANGE, "%s is not within %d bytes".formatted(range, size))
                            .ofObjectWithSize(size);
                }
                opened.file().digestInto(part.opened(), first, length);
            } finally {
                opened.file().close();
            }
            StoredContent content = part.store();
            return new StoredPart(number, content.tag(), content.headers(), Optional.of(inSeconds(content)));
        } finally {
            part.abandon();
        }
    }

    private Lookup.Opened<ObjectHead> open(CopySource source) throws IOException {
        return lookup.open(source.object(), source.versionId(), looked -> {
            ObjectHead head = looked.head();
            if (source.conditions().check(head.eTag(), head.lastModified()) != Conditions.Outcome.PROCEED) {
                throw new BackendException(
                        Kind.PRECONDITION_FAILED, "a condition on %s does not hold".formatted(source.object()));
            }
            return head;
        });
    }

    private Written copy(Lookup.Opened<ObjectHead> source, CopyPlan plan, NewObject target) throws IOException {
        TemporaryFile file = workshop.fileFor(target.object().bucket(), plan.computed());
        try {
            long size = source.chosen().size();
            if (plan.knowsAll()) {
                source.file().appendTo(file, 0, size);
            } else {
                source.file().digestInto(file, 0, size);
            }
            StoredContent content = content(file, plan);
            file.finish(content.modified());
            workshop.placement().publish(target.object(), target.condition(), file.path(), content);
            return new Written(Optional.of(content.tag()), Workshop.told(content), Optional.of(inSeconds(content)));
        } finally {
            file.discard();
        }
    }

    private StoredContent content(TemporaryFile file, CopyPlan plan) {
        ETag tag = plan.tag().orElseGet(() -> ETag.strong(file.md5Hex()));
        HeaderList sums = plan.computed()
                .map(algorithm -> HeaderList.EMPTY.with(
                        algorithm.headerName(), Base64Value.encode(file.sum().orElseThrow())))
                .orElse(plan.sums());
        HeaderList headers = StoredFields.joined(plan.headers(), StoredFields.typed(sums, StoredFields.FULL_OBJECT));
        return new StoredContent(file.size(), workshop.temporaries().time(), tag, headers);
    }

    private static Instant inSeconds(StoredContent content) {
        return content.modified().truncatedTo(ChronoUnit.SECONDS);
    }
}
