import { chooseLanguage, language, languageNames, languages, t } from '../i18n/index.ts';
import { Select } from '../ui/field.tsx';

/** Each language by its own name, so that people who cannot read the page find theirs. */
export function LanguageSelect() {
  return (
    <Select
      label={t('common.language')}
      value={language()}
      options={languages.map((each) => ({ value: each, label: languageNames[each], lang: each }))}
      onValue={(value) => {
        const chosen = languages.find((each) => each === value);
        if (chosen) chooseLanguage(chosen);
      }}
    />
  );
}
