package io.millrace.gateway.app;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;

/** Something that an event loop reads from and that ends its thread: an error escapes to Netty's own loop. */
final class DyingEventLoop implements EpollIoHandle {
    private final FileDescriptor writable;

    private DyingEventLoop(FileDescriptor writable) {
        this.writable = writable;
    }

    /** Kills an event loop, and waits for its end. */
    static void kill(EventExecutor loop) throws IOException, InterruptedException {
        FileDescriptor[] pipe = FileDescriptor.pipe();
        try {
            IoRegistration registration = ((IoEventLoop) loop)
                    .register(new DyingEventLoop(pipe[1]))
                    .sync()
                    .getNow();
            registration.submit(EpollIoOps.EPOLLOUT);
            // Not sync(): the future fails with the error.
            loop.terminationFuture().await();
        } finally {
            pipe[0].close();
            pipe[1].close();
        }
    }

    @Override
    public FileDescriptor fd() {
        return writable;
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
        throw new StackOverflowError("of a test");
    }

    @Override
    public void close() {}
}
