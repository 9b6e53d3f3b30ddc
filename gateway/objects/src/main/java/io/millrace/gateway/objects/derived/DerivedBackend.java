package io.millrace.gateway.objects.derived;

import io.millrace.backend.http.WriteRefusal;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadDecision;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.CurrentObject;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.DerivedObjectFinder;
import io.millrace.gateway.objects.read.ObjectPart;
import io.millrace.gateway.objects.read.RequestCacheControl;
import io.millrace.kit.async.ImmediateMono;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A derived bucket: what all of them share, whatever their objects are made of. Read-only, there if its source is, and
 * listed if that can be listed. Thread-safe.
 */
abstract class DerivedBackend implements Backend, WriteRefusal, DerivedObjectFinder {
    final BucketView source;
    final CurrentObjectFinder objects;

    DerivedBackend(BucketView source, CurrentObjectFinder objects) {
        this.source = source;
        this.objects = objects;
    }

    @Override
    public final BucketView source() {
        return source;
    }

    /** Returns the current state of an object of the source, without its bytes; known at once if that is. */
    final Mono<CurrentObject> atSource(ReadRequest request, RequestCacheControl client) {
        Mono<CurrentObject> found = objects.find(source, request, client, false);
        return ImmediateMono.valueOf(found) == null ? orMissingSource(found) : found;
    }

    /** A list of the bucket fails with the missing source, so a read of an object does. */
    final <T> Mono<T> orMissingSource(Mono<T> found) {
        return found.onErrorResume(BackendException.class, failure -> objects.explainAbsence(source, failure));
    }

    /** Goes on with a value, at once if it is known. */
    static <T, R> Mono<R> then(Mono<T> first, Function<T, Mono<R>> next) {
        @Nullable T known = ImmediateMono.valueOf(first);
        return known == null ? first.flatMap(next) : next.apply(known);
    }

    /** Returns what was found of the source without its bytes, which are not those of the derived object. */
    static CurrentObject withoutBytes(CurrentObject passed) {
        if (passed instanceof CurrentObject.Bypass bypass) {
            bypass.content().ifPresent(ObjectContent::discard);
            return new CurrentObject.Bypass(Optional.empty());
        }
        return passed;
    }

    /** Returns the part of an object that a request is for; empty if it is for no part. */
    static Optional<ObjectPart> part(ByteSelection selection, ObjectHead head) {
        if (!(selection instanceof ByteSelection.PartSelection part)) {
            return Optional.empty();
        }
        return Optional.of(new ObjectPart(ReadDecision.onlyPart(part.number(), head.size()), HeaderList.EMPTY));
    }

    @Override
    public final Mono<BucketInfo> headBucket(BucketName name) {
        return source.backend()
                .headBucket(source.backendBucket())
                .map(found -> new BucketInfo(name, found.created()))
                .onErrorMap(
                        BackendException.class,
                        failure -> failure.kind() == FailureKind.NO_SUCH_BUCKET
                                ? new BackendException(FailureKind.NO_SUCH_BUCKET, name + " is derived from no bucket")
                                : failure);
    }

    @Override
    public final Set<Capability> capabilities() {
        return source.canList() ? Set.of(Capability.LIST) : Set.of();
    }

    @Override
    public final Mono<Void> close() {
        return Mono.empty();
    }
}
