package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadDecision;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.archive.ArchiveFormat;
import io.millrace.gateway.archive.ArchiveMember;
import io.millrace.gateway.archive.MemberIndex;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.DerivedSettings;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.read.CurrentObject;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.ObjectPart;
import io.millrace.gateway.objects.read.ObjectSlice;
import io.millrace.gateway.objects.read.RequestCacheControl;
import io.millrace.kit.async.ImmediateMono;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A derived bucket: the members of the archives of another bucket as objects. Members are slices of their archives, of
 * which the source's rules say how fresh they are, or are decoded from them and have blocks of their own. Thread-safe.
 */
final class MemberBackend extends DerivedBackend {
    private final String backendName;
    private final DerivedSettings settings;
    private final ArchiveIndexes indexes;
    private final MemberDecoders decoders;
    private final MemberLister lister;

    /**
     * @param backendName the name that it has as a backend, under which what is decoded is cached
     * @param prefix of the bucket, which its clients do not see
     */
    MemberBackend(
            String backendName,
            DerivedSettings settings,
            String prefix,
            BucketView source,
            CurrentObjectFinder objects,
            ArchiveIndexes indexes,
            MemberDecoders decoders) {
        super(source, objects);
        this.backendName = backendName;
        this.settings = settings;
        this.indexes = indexes;
        this.decoders = decoders;
        this.lister = new MemberLister(settings, prefix, source, objects, indexes, this::open);
    }

    /** A key of the bucket: the archive at the source, and the member's name. */
    private record MemberKey(ObjectRef object, ObjectRef archive, String name) {
        ReadRequest request() {
            return ReadRequest.of(archive);
        }
    }

    @Override
    public Optional<ObjectRef> containerOf(ObjectRef object) {
        return Optional.ofNullable(keyOf(object)).map(MemberKey::archive);
    }

    @Override
    public Mono<CurrentObject> find(ReadRequest request, RequestCacheControl client) {
        @Nullable MemberKey key = keyOf(request.object());
        if (key == null) {
            BackendException none = ArchiveFailures.noSuchMember(request.object());
            return client.onlyIfCached() ? Mono.error(none) : objects.noObject(source, none);
        }
        return member(atSource(key.request(), client), key, request, client.onlyIfCached());
    }

    @Override
    public Mono<CurrentObject> revalidate(ReadRequest request) {
        @Nullable MemberKey key = keyOf(request.object());
        if (key == null || source.freshness().mode() == FreshnessSettings.Mode.IMMUTABLE) {
            return find(request, RequestCacheControl.NONE);
        }
        return member(objects.revalidate(source, key.request()), key, request, false);
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
            SourceObject opened = SourceObject.of(cached);
            @Nullable ArchiveIndex index = indexes.known(opened);
            if (onlyIfCached && (index == null || !isPlaceHere(opened, index, key))) {
                return Mono.just(new CurrentObject.NotCached());
            }
            return index == null
                    ? memberAfterScan(cached, opened, key, request)
                    : member(cached, opened, index, key, request);
        });
    }

    private Mono<CurrentObject> memberAfterScan(
            CurrentObject.Cached cached, SourceObject archive, MemberKey key, ReadRequest request) {
        return indexes.with(key.name(), archive)
                .onErrorMap(BackendException.class, cached.afterFetch().status().notStored()::addTo)
                .flatMap(index ->
                        member(index.isFetched() ? cached.afterFetch() : cached, archive, index, key, request));
    }

    /** Returns a member; known at once if its place is in memory. */
    private Mono<CurrentObject> member(
            CurrentObject.Cached cached, SourceObject archive, ArchiveIndex index, MemberKey key, ReadRequest request) {
        Mono<MemberPlace> place = placeOf(archive, index, key);
        @Nullable MemberPlace known = ImmediateMono.valueOf(place);
        if (known != null) {
            return Mono.just(current(new OpenMember(archive, key, known), cached, request));
        }
        CurrentObject.Cached found = isPlaceHere(archive, index, key) ? cached : cached.afterFetch();
        return place.<CurrentObject>map(read -> current(new OpenMember(archive, key, read), found, request))
                .onErrorMap(BackendException.class, found.status().notStored()::addTo);
    }

    /** Returns whether a member's place, or that it has none, is known without a request to the backend. */
    private static boolean isPlaceHere(SourceObject archive, ArchiveIndex index, MemberKey key) {
        MemberIndex members = index.members();
        int number = members.find(key.name());
        if (number < 0 || members.format() == ArchiveFormat.TAR) {
            return true;
        }
        ArchiveMember member = members.member(number);
        return member.isDeflated()
                || index.dataPosition(number).isPresent()
                || archive.isHere(LocalHeaderReader.placeOf(member));
    }

    /** A member of an open archive. */
    private record OpenMember(SourceObject archive, MemberKey key, MemberPlace place) {}

    /** Returns a member that is read through the cache: its archive's blocks, or its own if it is deflated. */
    private CurrentObject.Cached current(OpenMember member, CurrentObject.Cached archive, Optional<ObjectPart> part) {
        MemberPlace place = member.place();
        if (place.deflated().isEmpty()) {
            return archive.ofSlice(place.slice(), part);
        }
        ObjectId id = ObjectId.current(backendName, member.key().object());
        return archive.ofMade(
                id,
                place.head(),
                context -> decoded(member, TierRequest.from(context).ofCache()),
                part);
    }

    private CurrentObject.Cached current(OpenMember member, CurrentObject.Cached archive, ReadRequest request) {
        return current(
                member,
                archive,
                ObjectPart.ofOnlyPart(request.selection(), member.place().head()));
    }

    private DecodedMember decoded(OpenMember member, TierRequest tier) {
        MemberPlace place = member.place();
        return new DecodedMember(member.archive(), place.deflated().orElseThrow(), place.head(), decoders, tier);
    }

    /** Opens an archive: in the cache, or at the backend if it is not cached. */
    private Mono<SourceObject> open(ObjectRef archive) {
        return objects.find(source, ReadRequest.of(archive), RequestCacheControl.NONE, false)
                .flatMap(current -> current instanceof CurrentObject.Cached cached
                                && source.mayCache(archive, cached.metadata().size())
                        ? Mono.just(SourceObject.of(cached))
                        : SourceObject.atBackend(source, ObjectId.current(source.backendName(), archive)));
    }

    /** Returns a member's metadata and place; known at once if the index is in memory. */
    private Mono<MemberPlace> placeOf(SourceObject archive, MemberKey key) {
        @Nullable ArchiveIndex known = indexes.known(archive);
        return known == null
                ? indexes.with(key.name(), archive).flatMap(index -> placeOf(archive, index, key))
                : placeOf(archive, known, key);
    }

    private static Mono<MemberPlace> placeOf(SourceObject archive, ArchiveIndex index, MemberKey key) {
        MemberIndex members = index.members();
        int number = members.find(key.name());
        if (number < 0) {
            return Mono.error(members.damage()
                    .map(ArchiveFailures::of)
                    .orElseGet(() -> ArchiveFailures.noSuchMember(key.object())));
        }
        ObjectHead head = index.head(number, archive.head().lastModified());
        return members.format() == ArchiveFormat.TAR
                ? Mono.just(MemberPlace.of(new ObjectSlice(head, members.position(number))))
                : placeInZip(archive, index, number, head);
    }

    private static Mono<MemberPlace> placeInZip(SourceObject archive, ArchiveIndex index, int number, ObjectHead head) {
        ArchiveMember member = index.members().member(number);
        ObjectHead described = ArchiveIndex.with(member.crc32(), head);
        if (!member.isDeflated()) {
            return then(
                    dataPosition(archive, index, number, member),
                    offset -> Mono.just(MemberPlace.of(new ObjectSlice(described, offset))));
        }
        if (DecodedMember.isTooLarge(member)) {
            return Mono.error(ArchiveFailures.tooLargeToDecode(Math.max(member.size(), member.storedSize())));
        }
        return member.size() == 0 && member.crc32().orElse(0) != 0
                ? Mono.error(ArchiveFailures.notEmpty(member))
                : Mono.just(MemberPlace.deflated(described, member));
    }

    private static Mono<Long> dataPosition(SourceObject archive, ArchiveIndex index, int number, ArchiveMember member) {
        OptionalLong known = index.dataPosition(number);
        return known.isPresent()
                ? Mono.just(known.getAsLong())
                : then(LocalHeaderReader.dataPosition(archive, member), read -> {
                    index.rememberDataPosition(number, read);
                    return Mono.just(read);
                });
    }

    /**
     * Returns the members of a sample of an archive, in the order in which they are there. Needs the whole index: a
     * sample may go on anywhere. Fails with NO_SUCH_KEY if there is no such sample, and as a listing does if the
     * archive cannot be read to its end.
     *
     * @param archive the key of the archive, in the bucket whose objects are the members
     * @param sample as {@link MemberIndex#sample} takes it
     */
    Mono<List<SampleMember>> sample(ObjectKey archive, String sample) {
        ObjectRef object = source.at(archive);
        return Mono.defer(() -> orMissingSource(open(object)))
                .flatMap(opened -> {
                    @Nullable ArchiveIndex known = indexes.known(opened);
                    return known == null ? indexes.of(opened) : Mono.just(known);
                })
                .map(index -> sample(index, archive, sample));
    }

    private List<SampleMember> sample(ArchiveIndex index, ObjectKey archive, String sample) {
        MemberIndex members = index.members();
        members.damage().ifPresent(damage -> {
            throw ArchiveFailures.of(damage);
        });
        List<Integer> numbers = members.sample(sample).orElseThrow(ArchiveFailures::tooLargeSample);
        if (numbers.isEmpty()) {
            throw ArchiveFailures.noSuchSample(source.at(archive));
        }
        return numbers.stream()
                .map(number -> new SampleMember(
                        new ObjectKey(archive.value() + '/' + members.name(number)), index.tag(number)))
                .toList();
    }

    private Mono<OpenMember> member(ReadRequest request) {
        return Mono.defer(() -> {
            @Nullable MemberKey key = keyOf(request.object());
            return key == null
                    ? objects.noObject(source, ArchiveFailures.noSuchMember(request.object()))
                    : orMissingSource(open(key.archive()))
                            .flatMap(
                                    archive -> placeOf(archive, key).map(place -> new OpenMember(archive, key, place)));
        });
    }

    @Override
    public Mono<HeadResult> head(ReadRequest request) {
        return member(request)
                .map(member -> ReadDecision.of(request, member.place().head()));
    }

    @Override
    public Mono<ObjectContent> open(ReadRequest request) {
        return Mono.deferContextual(
                context -> member(request).map(member -> content(member, request, TierRequest.from(context))));
    }

    /** @param asker the facts about the request, which whoever subscribes to the body does not know */
    private ObjectContent content(OpenMember member, ReadRequest request, TierRequest asker) {
        HeadResult selected = ReadDecision.of(request, member.place().head());
        long size = selected.head().size();
        Flux<ByteBuf> body = size == 0
                ? Flux.empty()
                : bytes(member, selected.range().orElseGet(() -> new ByteRange(0, size - 1)))
                        .contextWrite(asker::writeTo);
        return new ObjectContent(selected.head(), selected.range(), body);
    }

    private Flux<ByteBuf> bytes(OpenMember member, ByteRange range) {
        SourceObject archive = member.archive();
        if (archive.cached().isPresent()) {
            return current(member, archive.cached().get(), Optional.empty()).readBuffers(range);
        }
        return member.place().deflated().isEmpty()
                ? archive.bytes().apply(member.place().slice().placed(range))
                : Flux.deferContextual(
                        context -> decoded(member, TierRequest.from(context)).bytes(range));
    }

    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        return lister.list(request);
    }

    @Override
    public String place() {
        return "derived from archives in another one";
    }
}
