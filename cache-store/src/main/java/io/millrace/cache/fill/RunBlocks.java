package io.millrace.cache.fill;

import io.millrace.backend.spi.object.ByteRange;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of a run: how far they are filled, the memory of the current one, and the bytes that wait for that
 * memory. Only the steps of the run change it; any thread may ask which blocks belong to it.
 *
 * <p>A block has its pages and its memory claim from when it takes them until it is released, which {@link
 * FillManager} does. A claim that is not granted is held here; the run {@linkplain #takeMemory takes} it when it is
 * granted, even if it has ended by then. The bytes left over are owned here.
 */
final class RunBlocks {
    private final VersionFillSource version;
    private final FillMemoryBudget memory;
    private List<BlockFill> blocks = List.of();
    private long begin;
    private long end;
    private long position;
    private int current;

    /** The memory claim of the current block, granted or waiting. */
    private FillMemoryBudget.@Nullable Claim claim;

    /**
     * The rest of a buffer that completed a block, while the memory of the next one is not granted; it may have no
     * bytes.
     */
    private @Nullable ByteBuf leftOver;

    /** {@link System#nanoTime} when the current block was requested, or when the previous one was complete. */
    private long requestedNanos;

    RunBlocks(VersionFillSource version, FillMemoryBudget memory) {
        this.version = version;
        this.memory = memory;
    }

    /** Sets the blocks, in order; called once, before the run starts. */
    void set(List<BlockFill> adjacent) {
        blocks = adjacent;
        BlockFill last = adjacent.get(adjacent.size() - 1);
        begin = adjacent.get(0).number() * version.blockSize();
        position = begin;
        end = last.number() * version.blockSize() + last.length();
    }

    boolean areWholeObject() {
        return begin == 0 && end == version.size();
    }

    /** Returns whether a block belongs to the run. */
    boolean contains(long number) {
        return number >= begin / version.blockSize() && !areBefore(number);
    }

    /** Returns a block that the run {@link #contains}. */
    BlockFill block(long number) {
        return blocks.get((int) (number - begin / version.blockSize()));
    }

    /** Returns whether all blocks precede a block. */
    boolean areBefore(long number) {
        return end <= number * version.blockSize();
    }

    /** Returns the position in the object of the first byte. */
    long begin() {
        return begin;
    }

    /** Returns the position in the object of the next byte to store. */
    long position() {
        return position;
    }

    long arrivedBytes() {
        return position - begin;
    }

    long missingBytes() {
        return end - position;
    }

    /** Returns the range of the object that is missing. */
    ByteRange missing() {
        return new ByteRange(position, end - 1);
    }

    boolean haveHalfArrived() {
        return end - position <= (end - begin) / 2;
    }

    /**
     * Copies bytes to the current block and skips them in the buffer, which the caller still owns; returns the block
     * if it is complete.
     */
    @Nullable BlockFill append(ByteBuf piece) {
        BlockFill block = blocks.get(current);
        int before = piece.readableBytes();
        block.append(piece);
        position += before - piece.readableBytes();
        return block.isComplete() ? block : null;
    }

    /** Moves on to the next block; the memory of the last one is its own. */
    void next() {
        claim = null;
        current++;
    }

    boolean areComplete() {
        return current == blocks.size();
    }

    List<BlockFill> complete() {
        return blocks.subList(0, current);
    }

    List<BlockFill> incomplete() {
        return blocks.subList(current, blocks.size());
    }

    /** Records when the current block was requested. */
    void requested(long nanos) {
        requestedNanos = nanos;
    }

    long requestedNanos() {
        return requestedNanos;
    }

    /** Returns whether the memory of the current block was claimed. */
    boolean isClaimed() {
        return claim != null;
    }

    /**
     * Claims the memory of the current block, which holds it at once if it is granted at once.
     *
     * @param granted called on another thread when it is granted, unless it is at once
     * @return whether it is granted at once
     */
    boolean reserve(boolean prefetch, Runnable granted) {
        BlockFill block = blocks.get(current);
        FillMemoryBudget.Claim made =
                memory.claim(version.account(), version.party(), block.length(), prefetch, granted);
        claim = made;
        if (made.isImmediate()) {
            block.holdMemory(made);
        }
        return made.isImmediate();
    }

    /**
     * Takes the granted memory: the current block holds it from now on.
     *
     * @param ended whether the run has ended meanwhile: its blocks were released without this memory, so it is given
     *     back
     */
    void takeMemory(boolean ended) {
        FillMemoryBudget.Claim granted = Objects.requireNonNull(claim);
        if (ended) {
            granted.release();
        } else {
            blocks.get(current).holdMemory(granted);
        }
    }

    /** Moves the claim of the current block to the readers' queue. */
    void promoteClaim() {
        if (claim != null) {
            claim.promote();
        }
    }

    /** Takes over a buffer whose bytes wait for memory. */
    void keep(ByteBuf piece) {
        leftOver = piece;
    }

    /** Returns whether the next bytes have arrived and wait for memory. */
    boolean haveLeftOver() {
        return leftOver != null;
    }

    /** Returns the buffer that waited, which the caller owns; null if there is none. */
    @Nullable ByteBuf takeLeftOver() {
        ByteBuf piece = leftOver;
        leftOver = null;
        return piece;
    }
}
