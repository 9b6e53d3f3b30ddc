package io.millrace.backend.s3;

import io.millrace.backend.s3.client.S3Client;
import io.millrace.backend.s3.settings.S3BackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendProvider;

/** Creates backends of type {@code s3}: objects on an S3 server. */
public final class S3BackendProvider implements BackendProvider<S3BackendSettings> {
    @Override
    public String type() {
        return "s3";
    }

    @Override
    public Class<S3BackendSettings> settingsType() {
        return S3BackendSettings.class;
    }

    @Override
    public Backend create(String name, S3BackendSettings settings) {
        return backend(S3Client.create(name, settings), settings);
    }

    /** Returns a backend over this client. */
    static Backend backend(S3Client client, S3BackendSettings settings) {
        ServerDetector server = new ServerDetector(client, System::nanoTime);
        return new S3Backend(client, new ConditionalWritePolicy(settings.conditionalWrites(), server));
    }
}
