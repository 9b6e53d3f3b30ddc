package io.millrace.kit.async;

import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** The release of buffers that an operator of Reactor discards: those that arrive while another thread cancels it. */
public final class DiscardedBuffers {
    /**
     * A context that has them released, for the operators before its {@code contextWrite}. It takes the place of a hook
     * further down, which {@code doOnDiscard} would only be added to: a buffer would be released twice.
     */
    public static final ContextView RELEASED =
            Context.of("reactor.onDiscard.local", (Consumer<Object>) DiscardedBuffers::release);

    private DiscardedBuffers() {}

    private static void release(Object discarded) {
        if (discarded instanceof ByteBuf buffer) {
            buffer.release();
        }
    }
}
