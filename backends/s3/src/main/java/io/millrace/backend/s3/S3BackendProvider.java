package io.millrace.backend.s3;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendProvider;

/** Makes the backends of {@code type: s3}. */
public final class S3BackendProvider implements BackendProvider<S3BackendSettings> {
    @Override
    public String type() {
        return "s3";
    }

    @Override
    public Class<S3BackendSettings> settings() {
        return S3BackendSettings.class;
    }

    @Override
    public Backend create(String name, S3BackendSettings settings) {
        SettingsCheck.check(settings);
        return new S3Backend(S3Client.create(name, settings));
    }
}
