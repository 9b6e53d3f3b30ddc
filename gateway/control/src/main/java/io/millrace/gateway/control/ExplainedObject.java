package io.millrace.gateway.control;

import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.control.NextGetExplanation.KnownObject;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.DerivedSettings;
import io.millrace.gateway.objects.derived.ArchiveIndexes;
import io.millrace.gateway.objects.derived.ArchivePreview;
import io.millrace.gateway.objects.read.DerivedObjectFinder;
import io.millrace.gateway.objects.read.DerivedObjectFinder.Maker;
import io.millrace.gateway.objects.read.ReadPreview;
import io.millrace.gateway.objects.read.ReadPreview.Next;
import java.util.Optional;

/**
 * The object that an explanation is of.
 *
 * @param object its place at its backend
 * @param ruled the bucket whose rules apply: of a derived bucket the one that it is derived from
 * @param archive the archive in that bucket that the object would be in, or what a transform makes it of; empty if it
 *     would be in none
 */
record ExplainedObject(BucketView bucket, ObjectRef object, BucketView ruled, Optional<ObjectRef> archive) {
    static ExplainedObject of(BucketView bucket, ObjectRef object) {
        return bucket.backend() instanceof DerivedObjectFinder derived
                ? new ExplainedObject(bucket, object, derived.source(), derived.containerOf(object))
                : new ExplainedObject(bucket, object, bucket, Optional.empty());
    }

    /** Returns what is cached under a key of its own: the object, or the archive. */
    ObjectRef cached() {
        return archive.orElse(object);
    }

    private boolean isNoMember() {
        return bucket.derived().isPresent() && archive.isEmpty();
    }

    /** Returns the archive that the object is in, or is itself; empty if it is neither, as far as is known. */
    Optional<ExplainedArchive> archive(ReadPreview preview, ArchiveIndexes indexes) {
        if (bucket.transform().isPresent()) {
            return Optional.empty();
        }
        if (archive.isEmpty()) {
            String key = shown(object.key().value());
            return preview.metadata()
                    .flatMap(head -> indexes.preview(head, Optional.empty()))
                    .map(found -> new ExplainedArchive(bucket.name(), key, Optional.of(found)));
        }
        String key = ruled.toClient(archive.get().key().value());
        String member = object.key().value().substring(key.length() + 1);
        Optional<ArchivePreview> found = preview.metadata().flatMap(head -> indexes.preview(head, Optional.of(member)));
        return Optional.of(new ExplainedArchive(ruled.name(), shown(key), found));
    }

    /** Returns a key without the bucket's prefix; empty if that goes on within an archive. */
    private String shown(String key) {
        return key.startsWith(bucket.prefix()) ? key.substring(bucket.prefix().length()) : "";
    }

    /** Returns what is known of the object itself: of a member only what the archive's index tells. */
    Optional<KnownObject> known(ReadPreview preview, Optional<ExplainedArchive> known) {
        if (bucket.derived().isEmpty()) {
            return preview.metadata().map(head -> KnownObject.of(preview, head));
        }
        if (bucket.transform().isPresent()) {
            return preview.made().map(made -> KnownObject.ofMade(preview, made));
        }
        return preview.metadata()
                .flatMap(head -> known.flatMap(ExplainedArchive::place)
                        .map(place -> KnownObject.ofMember(preview, head, place)));
    }

    /** Returns what makes the object; empty if nothing does. */
    Optional<TransformExplanation> transform(ReadPreview preview) {
        Optional<Maker> maker =
                bucket.backend() instanceof DerivedObjectFinder derived ? derived.maker() : Optional.empty();
        // Of a member of an archive, the metadata is the archive's.
        Optional<String> tag = ruled.derived().isPresent()
                ? Optional.empty()
                : preview.metadata().flatMap(head -> head.head().eTag()).map(Object::toString);
        return maker.map(made -> new TransformExplanation(
                made.name(),
                made.version(),
                made.args(),
                ruled.name().value(),
                ruled.toClient(cached().key().value()),
                tag));
    }

    /** Returns the preview with the outcome for the object. */
    ReadPreview outcome(ReadPreview preview, Optional<ExplainedArchive> known) {
        // Of an archive that is revalidated first, the index may not be that of the next version.
        boolean isAbsent = archive.isPresent()
                && preview.next() != Next.REVALIDATE
                && known.filter(ExplainedArchive::lacksMember).isPresent();
        return isAbsent || isNoMember() ? preview.withNext(Next.MISSING) : preview;
    }

    /**
     * Returns the sentence that tells users what the next GET does.
     *
     * @param outcome of the object
     * @param sentence the one for what is cached
     */
    String describe(ReadPreview outcome, Optional<ExplainedArchive> known, String sentence) {
        if (isNoMember()) {
            return describeNoMember(bucket.derived().orElseThrow());
        }
        if (bucket.transform().isPresent()) {
            return describeMade(bucket.transform().get(), outcome, sentence);
        }
        Optional<String> whyNotRead =
                archive.flatMap(place -> DerivedSettings.whyNotRead(place.key().value()));
        if (whyNotRead.isPresent()) {
            return "The next GET fails with NotImplemented, or NoSuchKey if there is no such archive: %s."
                    .formatted(whyNotRead.get());
        }
        if (archive.isEmpty() || known.isEmpty()) {
            return sentence;
        }
        return outcome.next() == Next.MISSING && outcome.missingMillis().isEmpty()
                ? known.get().describeAbsence()
                : known.get().describePlace() + sentence;
    }

    private String describeMade(String name, ReadPreview outcome, String sentence) {
        if (outcome.metadata().isPresent() && outcome.next() == Next.HIT) {
            return "The next GET is served from the cache, which has what the transform '%s' made.".formatted(name);
        }
        if (outcome.metadata().isPresent() && outcome.next() == Next.MISS) {
            return "The next GET calls the service of the transform '%s', and caches what it makes.".formatted(name);
        }
        return "What the transform '%s' makes follows the object with this key in bucket '%s'. Of that: %s"
                .formatted(name, ruled.name(), sentence);
    }

    private String describeNoMember(DerivedSettings derived) {
        return derived.isArchive(object.key().value())
                ? ("The next GET fails with NoSuchKey: the key is that of an archive in bucket '%s'. Its members are"
                                + " the objects here: their keys go on with a slash and a name.")
                        .formatted(ruled.name())
                : ("The next GET fails with NoSuchKey: the key begins with that of no archive in bucket '%s', which"
                                + " ends in .tar or .zip, matches the pattern of 'members', \"%s\", and is followed by"
                                + " a slash.")
                        .formatted(ruled.name(), derived.members().value());
    }
}
