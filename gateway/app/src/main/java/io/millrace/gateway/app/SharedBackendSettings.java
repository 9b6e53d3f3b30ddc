package io.millrace.gateway.app;

import io.millrace.backend.resilience.ResilienceSettings;
import io.millrace.config.SettingDescription;

/** The settings that backends of all types have. */
record SharedBackendSettings(
        @SettingDescription("How a backend is treated that is slow, throttles or is down.")
        ResilienceSettings resilience) {}
