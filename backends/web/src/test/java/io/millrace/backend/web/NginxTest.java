package io.millrace.backend.web;

import io.millrace.backend.spi.object.ObjectKey;
import java.io.IOException;
import org.junit.jupiter.api.condition.EnabledIf;

/** Runs the contract over nginx with its index as JSON. */
@EnabledIf(value = "isInstalled", disabledReason = "nginx is not installed")
class NginxTest extends WebServerContract {
    static boolean isInstalled() {
        return WebServerProcess.has("nginx");
    }

    /** Its index hides what begins with a dot. */
    @Override
    public boolean supportsKey(ObjectKey key) {
        return super.supportsKey(key) && !("/" + key.value()).contains("/.");
    }

    @Override
    WebServerProcess start() throws IOException {
        return WebServerProcess.nginx("json");
    }
}
