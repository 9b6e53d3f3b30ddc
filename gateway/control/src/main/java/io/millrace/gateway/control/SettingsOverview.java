package io.millrace.gateway.control;

import io.millrace.auth.IdentitySettings;
import io.millrace.auth.session.RoleSettings;
import io.millrace.config.binding.EffectiveSetting;
import io.millrace.gateway.objects.bucket.BucketSettings;
import java.util.List;

/**
 * The settings in force, as the control API shows them.
 *
 * @param values all settings, with secrets redacted
 */
public record SettingsOverview(
        List<IdentitySettings> identities,
        List<RoleSettings> roles,
        List<BucketSettings> buckets,
        List<EffectiveSetting> values) {
    public SettingsOverview {
        identities = List.copyOf(identities);
        roles = List.copyOf(roles);
        buckets = List.copyOf(buckets);
        values = List.copyOf(values);
    }
}
