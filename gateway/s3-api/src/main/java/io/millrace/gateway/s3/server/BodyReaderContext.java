package io.millrace.gateway.s3.server;

import io.millrace.cache.CacheReader;
import java.util.concurrent.Executor;
import reactor.util.context.Context;

/** The Reactor context in which response bodies are read: it tells their source about the client's connection. */
final class BodyReaderContext {
    private BodyReaderContext() {}

    /**
     * Returns the context of a connection.
     *
     * @param loop its event loop: a body whose buffers are emitted on it saves a thread switch
     * @param encrypted whether it uses TLS, which file regions cannot pass
     */
    static Context of(Executor loop, boolean encrypted) {
        return encrypted
                ? Context.of(CacheReader.EXECUTOR, loop, CacheReader.BUFFERS_ONLY, true)
                : Context.of(CacheReader.EXECUTOR, loop);
    }
}
