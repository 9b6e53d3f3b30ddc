package io.millrace.gateway.control;

import io.millrace.auth.policy.Principal;
import io.millrace.config.binding.EffectiveSetting;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/**
 * Serves {@code /api/v1/settings}: the settings in force, with secrets redacted, and the reload of the settings file.
 *
 * @param settings returns those in force
 */
@RestController
@RequestMapping("/api/v1/settings")
record SettingsController(ControlAuthorizer callers, Supplier<SettingsOverview> settings, SettingsReload reload) {
    /** The response that lists the settings in force, in the order of the reference page. */
    record SettingList(List<EffectiveSetting> settings) {
        SettingList {
            settings = List.copyOf(settings);
        }
    }

    @GetMapping
    SettingList settings(@RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal) {
        callers.requireAdmin(principal, "The list of settings");
        return new SettingList(settings.get().values());
    }

    @GetMapping("/changes")
    Mono<SettingsReloadResult> changes(@RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal) {
        callers.requireAdmin(principal, "The list of changed settings");
        return reload.preview().onErrorMap(SettingsRefusedException.class, SettingsController::conflict);
    }

    @PostMapping("/reload")
    Mono<SettingsReloadResult> reload(@RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal) {
        callers.requireAdmin(principal, "A reload of the settings");
        return reload.apply().onErrorMap(SettingsRefusedException.class, SettingsController::conflict);
    }

    private static ApiException conflict(SettingsRefusedException refused) {
        return ApiException.of(HttpStatus.CONFLICT, String.valueOf(refused.getMessage()));
    }
}
