package io.millrace.gateway.objects.derived;

import io.millrace.backend.http.WriteRefusal;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadDecision;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.archive.ArchiveException;
import io.millrace.gateway.archive.ArchiveFormat;
import io.millrace.gateway.archive.ArchiveMember;
import io.millrace.gateway.archive.MemberIndex;
import io.millrace.gateway.archive.ZipLocalHeader;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.DerivedSettings;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.read.CurrentObject;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.DerivedObjectFinder;
import io.millrace.gateway.objects.read.ObjectPart;
import io.millrace.gateway.objects.read.ObjectSlice;
import io.millrace.gateway.objects.read.RequestCacheControl;
import io.millrace.kit.async.ImmediateMono;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A derived bucket: the members of the archives of another bucket as objects. Members are slices of their archives, of
 * which the source's rules say how fresh they are. Thread-safe.
 */
final class MemberBackend implements Backend, WriteRefusal, DerivedObjectFinder {
    private final DerivedSettings settings;
    private final BucketView source;
    private final CurrentObjectFinder objects;
    private final ArchiveIndexes indexes;
    private final MemberLister lister;

    /** @param prefix of the bucket, which its clients do not see */
    MemberBackend(
            DerivedSettings settings,
            String prefix,
            BucketView source,
            CurrentObjectFinder objects,
            ArchiveIndexes indexes) {
        this.settings = settings;
        this.source = source;
        this.objects = objects;
        this.indexes = indexes;
        this.lister = new MemberLister(settings, prefix, source, objects, indexes, this::open);
    }

    /** A key of the bucket: the archive at the source, and the member's name. */
    private record MemberKey(ObjectRef object, ObjectRef archive, String name) {
        ReadRequest request() {
            return ReadRequest.of(archive);
        }
    }

    @Override
    public BucketView source() {
        return source;
    }

    @Override
    public Optional<ObjectRef> containerOf(ObjectRef object) {
        return Optional.ofNullable(keyOf(object)).map(MemberKey::archive);
    }

    @Override
    public Mono<CurrentObject> find(ReadRequest request, RequestCacheControl client) {
        @Nullable MemberKey key = keyOf(request.object());
        return key == null
                ? Mono.error(ArchiveFailures.noSuchMember(request.object()))
                : member(objects.find(source, key.request(), client, false), key, request, client.onlyIfCached());
    }

    @Override
    public Mono<CurrentObject> revalidate(ReadRequest request) {
        @Nullable MemberKey key = keyOf(request.object());
        if (key == null || source.freshness().mode() == FreshnessSettings.Mode.IMMUTABLE) {
            return find(request, RequestCacheControl.NONE);
        }
        return member(objects.revalidate(source, key.request()), key, request, false);
    }

    @Override
    public Mono<ObjectSlice> locate(ObjectRef object) {
        return Mono.defer(() -> {
            @Nullable MemberKey key = keyOf(object);
            return key == null
                    ? Mono.error(ArchiveFailures.noSuchMember(object))
                    : open(key.archive()).flatMap(archive -> slice(archive, key));
        });
    }

    private @Nullable MemberKey keyOf(ObjectRef object) {
        String key = object.key().value();
        int length = settings.archiveLength(key);
        return length <= 0
                ? null
                : new MemberKey(object, source.at(new ObjectKey(key.substring(0, length))), key.substring(length + 1));
    }

    /** Returns a member of an archive; known at once if the archive and the member's place are. */
    private Mono<CurrentObject> member(
            Mono<CurrentObject> archive, MemberKey key, ReadRequest request, boolean onlyIfCached) {
        return then(archive, current -> {
            if (!(current instanceof CurrentObject.Cached cached)) {
                return Mono.just(withoutBytes(current));
            }
            if (!source.mayCache(key.archive(), cached.metadata().size())) {
                return Mono.just(
                        onlyIfCached ? new CurrentObject.NotCached() : new CurrentObject.Bypass(Optional.empty()));
            }
            OpenArchive opened = OpenArchive.of(cached);
            return onlyIfCached && indexes.known(opened) == null
                    ? Mono.just(new CurrentObject.NotCached())
                    : then(
                            slice(opened, key),
                            slice -> Mono.just(cached.ofSlice(slice, part(request.selection(), slice.head()))));
        });
    }

    private static CurrentObject withoutBytes(CurrentObject passed) {
        if (passed instanceof CurrentObject.Bypass bypass) {
            bypass.content().ifPresent(ObjectContent::discard);
            return new CurrentObject.Bypass(Optional.empty());
        }
        return passed;
    }

    /** Goes on with a value, at once if it is known. */
    private static <T, R> Mono<R> then(Mono<T> first, Function<T, Mono<R>> next) {
        @Nullable T known = ImmediateMono.valueOf(first);
        return known == null ? first.flatMap(next) : next.apply(known);
    }

    private static Optional<ObjectPart> part(ByteSelection selection, ObjectHead head) {
        if (!(selection instanceof ByteSelection.PartSelection part)) {
            return Optional.empty();
        }
        return Optional.of(new ObjectPart(ReadDecision.onlyPart(part.number(), head.size()), HeaderList.EMPTY));
    }

    /** Opens an archive: in the cache, or at the backend if it is not cached. */
    private Mono<OpenArchive> open(ObjectRef archive) {
        return objects.find(source, ReadRequest.of(archive), RequestCacheControl.NONE, false)
                .flatMap(current -> current instanceof CurrentObject.Cached cached
                                && source.mayCache(archive, cached.metadata().size())
                        ? Mono.just(OpenArchive.of(cached))
                        : OpenArchive.atBackend(source, ObjectId.current(source.backendName(), archive)));
    }

    /** Returns a member's metadata and place; known at once if the index is in memory. */
    private Mono<ObjectSlice> slice(OpenArchive archive, MemberKey key) {
        @Nullable ArchiveIndex known = indexes.known(archive);
        return known == null
                ? indexes.of(archive).flatMap(index -> slice(archive, index, key))
                : slice(archive, known, key);
    }

    private static Mono<ObjectSlice> slice(OpenArchive archive, ArchiveIndex index, MemberKey key) {
        MemberIndex members = index.members();
        int number = members.find(key.name());
        if (number < 0) {
            return Mono.error(members.damage()
                    .map(ArchiveFailures::of)
                    .orElseGet(() -> ArchiveFailures.noSuchMember(key.object())));
        }
        ObjectHead head = index.head(number, archive.head().lastModified());
        return members.format() == ArchiveFormat.TAR
                ? Mono.just(new ObjectSlice(head, members.position(number)))
                : sliceOfZip(archive, members.member(number), head, key);
    }

    private static Mono<ObjectSlice> sliceOfZip(
            OpenArchive archive, ArchiveMember member, ObjectHead head, MemberKey key) {
        if (member.isDeflated()) {
            return Mono.error(ArchiveFailures.deflated());
        }
        long first = member.position();
        long last = Math.min(archive.head().size(), first + ZipLocalHeader.BYTES) - 1;
        if (last < first) {
            return Mono.error(ArchiveFailures.noSuchMember(key.object()));
        }
        ByteRange header = new ByteRange(first, last);
        ObjectHead described = ArchiveIndex.with(member.crc32(), head);
        @Nullable ByteBuf inMemory = archive.inMemory(header);
        return inMemory != null
                ? sliceOfZip(archive, member, described, inMemory)
                : joined(archive.bytes().apply(header), (int) header.length())
                        .flatMap(bytes -> sliceOfZip(archive, member, described, bytes));
    }

    /** Returns a buffer of the heap with all bytes of a few. */
    private static Mono<ByteBuf> joined(Flux<ByteBuf> pieces, int length) {
        return Mono.defer(() -> {
            ByteBuf all = Unpooled.wrappedBuffer(new byte[length]).clear();
            return pieces.doOnNext(piece -> {
                        all.writeBytes(piece);
                        piece.release();
                    })
                    .then(Mono.just(all));
        });
    }

    private static Mono<ObjectSlice> sliceOfZip(
            OpenArchive archive, ArchiveMember member, ObjectHead head, ByteBuf header) {
        try {
            long offset = ZipLocalHeader.dataPosition(
                    header.nioBuffer(), member, archive.head().size());
            return Mono.just(new ObjectSlice(head, offset));
        } catch (ArchiveException damage) {
            return Mono.error(ArchiveFailures.of(damage));
        } finally {
            header.release();
        }
    }

    /** A member of an open archive. */
    private record OpenMember(OpenArchive archive, ObjectSlice slice) {}

    private Mono<OpenMember> member(ReadRequest request) {
        return Mono.defer(() -> {
            @Nullable MemberKey key = keyOf(request.object());
            return key == null
                    ? Mono.error(ArchiveFailures.noSuchMember(request.object()))
                    : open(key.archive())
                            .flatMap(archive -> slice(archive, key).map(slice -> new OpenMember(archive, slice)));
        });
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return member(request)
                .map(member -> ReadDecision.of(request, member.slice().head()));
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return member(request).map(member -> {
            HeadResult selected = ReadDecision.of(request, member.slice().head());
            long size = selected.head().size();
            Flux<ByteBuf> body = size == 0
                    ? Flux.empty()
                    : member.archive()
                            .bytes()
                            .apply(member.slice()
                                    .placed(selected.range().orElseGet(() -> new ByteRange(0, size - 1))));
            return new ObjectContent(selected.head(), selected.range(), body);
        });
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return lister.list(request);
    }

    @Override
    public Mono<BucketInfo> headBucket(BucketName name) {
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
    public Set<Capability> capabilities() {
        return source.canList() ? Set.of(Capability.LIST) : Set.of();
    }

    @Override
    public String place() {
        return "derived from archives in another one";
    }

    @Override
    public Mono<Void> close() {
        return Mono.empty();
    }
}
