package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.fill.SourceTraits;
import io.millrace.cache.fill.UnopenedFetchException;
import io.millrace.gateway.archive.ArchiveMember;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The source of a deflated member: its content is decoded from the archive's bytes. It is of one version of the
 * archive, as the archive's bytes are.
 *
 * @param own the member's own metadata
 * @param tier the facts about the request that it is decoded for
 */
record DecodedMember(
        SourceObject archive, ArchiveMember member, ObjectHead own, MemberDecoders decoders, TierRequest tier)
        implements ObjectSource {
    /** The largest content that is decoded. A range of it costs as much as the whole. */
    static final long MOST_BYTES = 1L << 30;

    /**
     * The largest data, all of which are read, also what is behind their content: what does not compress takes a bit
     * more than its content.
     */
    static final long MOST_DATA_BYTES = MOST_BYTES + (MOST_BYTES >> 3);

    /** Returns whether a member is so large that it is not decoded. */
    static boolean isTooLarge(ArchiveMember member) {
        return member.size() > MOST_BYTES || member.storedSize() > MOST_DATA_BYTES;
    }

    @Override
    public Party party() {
        return tier.party();
    }

    @Override
    public SourceTraits traits() {
        return SourceTraits.MADE;
    }

    @Override
    public Mono<ObjectContent> open(ByteSelection selection) {
        Flux<ByteBuf> whole = own.size() == 0 ? Flux.empty() : bytes(new ByteRange(0, own.size() - 1));
        return Mono.just(new ObjectContent(own, Optional.empty(), whole));
    }

    @Override
    public Mono<HeadResult> head() {
        return Mono.just(new HeadResult(own, Optional.empty()));
    }

    @Override
    public Flux<ByteBuf> fetch(ObjectVersion version, ByteRange range) {
        return version.equals(own.version())
                ? bytes(range).onErrorMap(BackendException.class, DecodedMember::ofTriedRead)
                : Flux.error(new BackendException(FailureKind.VERSION_CHANGED, "the archive has changed"));
    }

    /** Marks a failure that the reads of the archive have dealt with, or that asks to come later. */
    private static BackendException ofTriedRead(BackendException failure) {
        return failure.kind().isTemporary() ? new UnopenedFetchException(failure) : failure;
    }

    /** Decodes bytes of the content. */
    Flux<ByteBuf> bytes(ByteRange range) {
        return decoders.decode(tier.party(), member, data(), range).contextWrite(tier::writeTo);
    }

    private Flux<ByteBuf> data() {
        return LocalHeaderReader.dataPosition(archive, member)
                .flatMapMany(first -> member.storedSize() == 0
                        ? Flux.empty()
                        : archive.bytes().apply(new ByteRange(first, first + member.storedSize() - 1)));
    }
}
