import type { ChatLocale } from '../locale/chat-locale.ts'
import { createFormats, type PluralForms, shorten } from './formats.ts'

// The digits of code, paths and clocks are Latin, so those of the words beside them are, too.
const { number, form, duration, clock, minute, bytes } = createFormats('ar-u-nu-latn')

/** Before a text that begins with a Latin word: its direction is that of its first letter. */
const rtl = '\u200f'

type Verb = ChatLocale['call']['verbs'][string]

/** The verbal noun, and whether it is feminine. */
const verb = (noun: string, isFeminine = false): Verb => ({
  base: noun,
  doing: `جارٍ ${noun}`,
  done: `${isFeminine ? 'تمت' : 'تم'} ${noun}`,
})

/** One and two are words of their own, without a number. */
const plural = (count: number, forms: PluralForms): string =>
  count === 1 || count === 2 ? form(count, forms) : `${number(count)} ${form(count, forms)}`

const lines = (count: number): string =>
  plural(count, { one: 'سطر واحد', two: 'سطران', few: 'أسطر', many: 'سطرًا', other: 'سطر' })
const calls = (count: number): string =>
  plural(count, { one: 'استدعاء واحد', two: 'استدعاءان', few: 'استدعاءات', many: 'استدعاءً', other: 'استدعاء' })
const files = (count: number): string =>
  plural(count, { one: 'ملف واحد', two: 'ملفان', few: 'ملفات', many: 'ملفًا', other: 'ملف' })
const items = (count: number): string =>
  plural(count, { one: 'عنصر واحد', two: 'عنصران', few: 'عناصر', many: 'عنصرًا', other: 'عنصر' })
const results = (count: number): string =>
  plural(count, { one: 'نتيجة واحدة', two: 'نتيجتان', few: 'نتائج', many: 'نتيجة', other: 'نتيجة' })
const needYou = (count: number): string => `بانتظارك: ${calls(count)}`

/** Arabic, from right to left. The rest of a tool's name, and what servers and tools say, stay as they are. */
export const arabic: ChatLocale = {
  call: {
    verbs: {
      add: verb('إضافة', true),
      append: verb('إلحاق'),
      ask: verb('سؤال'),
      book: verb('حجز'),
      build: verb('بناء'),
      calculate: verb('حساب'),
      cancel: verb('إلغاء'),
      check: verb('فحص'),
      click: verb('نقر'),
      close: verb('إغلاق'),
      commit: verb('إيداع'),
      copy: verb('نسخ'),
      create: verb('إنشاء'),
      delete: verb('حذف'),
      deploy: verb('نشر'),
      edit: verb('تعديل'),
      fetch: verb('جلب'),
      find: verb('بحث'),
      generate: verb('توليد'),
      get: verb('جلب'),
      import: verb('استيراد'),
      install: verb('تثبيت'),
      list: verb('سرد'),
      look: verb('عرض'),
      make: verb('إنشاء'),
      move: verb('نقل'),
      navigate: verb('فتح'),
      open: verb('فتح'),
      post: verb('نشر'),
      read: verb('قراءة', true),
      run: verb('تشغيل'),
      schedule: verb('جدولة', true),
      search: verb('بحث'),
      send: verb('إرسال'),
      set: verb('ضبط'),
      start: verb('بدء'),
      stop: verb('إيقاف'),
      submit: verb('تقديم'),
      test: verb('اختبار'),
      translate: verb('ترجمة', true),
      update: verb('تحديث'),
      upload: verb('رفع'),
      write: verb('كتابة', true),
    },
    say: (tense, { base, doing, done }, object) => {
      const after = object === '' ? '' : ` ${object}`
      switch (tense) {
        case 'doing':
          return doing + after
        case 'done':
          return done + after
        case 'will':
          return `قريبًا ${base}${after}`
        case 'wants':
          return `يطلب ${base}${after}`
        case 'failed':
          return `فشل في ${base}${after}`
        case 'denied':
          return `لم يُسمح بـ${base}${after}`
        case 'stopped':
          return `توقف أثناء ${base}${after}`
        case 'was':
          return `انقطع أثناء ${base}${after}`
      }
    },
    states: {
      writing: 'قيد الكتابة',
      queued: 'في الانتظار',
      running: 'قيد التشغيل',
      asking: 'بانتظارك',
      approved: 'مسموح',
      done: 'انتهى',
      failed: 'فشل',
      denied: 'مرفوض',
      stopped: 'متوقف',
      interrupted: 'انقطع',
      broken: 'فشل',
    },
    broken: 'تعذرت قراءة الاستدعاء',
    stillRunning: 'ما زال يعمل',
    approvedBy: name => (name === undefined ? 'سمحت به' : `سمح به ${name}`),
    deniedBy: name => (name === undefined ? 'رفضته' : `رفضه ${name}`),
    notApproved: 'غير مسموح',
    interrupted: 'انقطع: ما فعله غير معروف',
    exit: code => `رمز الخروج ${code}`,
    diff: (added, removed) => `\u2066+${number(added)} −${number(removed)}\u2069`,
    count: (count, unit) =>
      ({
        line: lines,
        item: items,
        match: (value: number) =>
          plural(value, { one: 'تطابق واحد', two: 'تطابقان', few: 'تطابقات', many: 'تطابقًا', other: 'تطابق' }),
        result: results,
        file: files,
        character: (value: number) =>
          plural(value, { one: 'حرف واحد', two: 'حرفان', few: 'أحرف', many: 'حرفًا', other: 'حرف' }),
      })[unit](count),
    number,
    duration,
  },
  card: {
    copy: 'نسخ',
    copied: 'تم النسخ',
    notCopied: 'لم يُنسخ',
    copyOf: name => `نسخ ${name}`,
    input: 'المُدخل',
    output: 'المُخرج',
    modelWrote: 'ما كتبه النموذج',
    partialOutput: 'ما طُبع قبل ذلك',
    stop: 'إيقاف',
    runAgain: 'تشغيل مرة أخرى',
    repaired: tries => `فشل ثم نجح في المحاولة ${number(tries)}`,
    runAgainNote: 'قد يتكرر ما فعله من قبل.',
    edited: 'كما عدّلته',
    showModelInput: 'إظهار مُدخل النموذج الأصلي',
    hideModelInput: 'إخفاء مُدخل النموذج الأصلي',
    copyJson: 'نسخ JSON',
    calls,
    inParallel: count => `${calls(count)} بالتوازي`,
    readFiles: count => `تمت قراءة ${files(count)}`,
    noNewsSince: time => `لا جديد منذ ${time}`,
    answeredElsewhere: 'أُجيب عنه في مكان آخر',
    thought: time => (time === undefined ? 'فكّر' : `فكّر لمدة ${time}`),
    thinking: 'يفكر…',
    answeredBy: (approved, name, time) =>
      `${approved ? 'سمح به' : 'رفضه'} ${name ?? 'أنت'}${time === undefined ? '' : `، ${time}`}`,
    clock,
    named: (action, call) => `${action}: ${call}`,
    after: time => `بعد ${time}`,
  },
  body: {
    wrap: 'التفاف الأسطر',
    open: 'فتح',
    showAnyway: 'عرض هنا',
    showAll: (count, size) => `عرض الكل: ${count} · ${size}`,
    showMore: count => `عرض ${number(count)} أخرى`,
    showEverything: 'عرض كل شيء',
    showInput: 'عرض المُدخل كله',
    showLess: 'عرض أقل',
    showSoFar: 'عرض كل ما كُتب حتى الآن',
    showNewest: 'عرض أحدث الأسطر',
    hiddenLines: count => `⋯ ${lines(count)}`,
    unchangedLines: count => `⋯ ${lines(count)} دون تغيير`,
    keys: count => plural(count, { one: 'مفتاح واحد', two: 'مفتاحان', few: 'مفاتيح', many: 'مفتاحًا', other: 'مفتاح' }),
    items,
    tooManyChanges: (added, removed) => `أُضيف ${lines(added)} وحُذف ${lines(removed)}`,
    bytes,
    line: at => `السطر ${number(at)}`,
    fullSize: name => `عرض ${name} بالحجم الكامل`,
    close: 'إغلاق',
    foreignImage: host => `صورة من ${host} لم تُحمّل`,
    loadImage: 'تحميل',
    image: 'صورة',
    emptyText: 'فارغ',
    emptyList: 'قائمة فارغة',
    emptyObject: 'لا قيم',
    input: 'المُدخل',
    output: 'المُخرج',
    error: 'الخطأ',
    result: 'النتيجة',
    diff: 'الفروق',
    code: 'الشفرة',
    loading: 'جارٍ التحميل…',
    asText: 'كنص',
    restInText: 'البقية في «كنص».',
    exit: code => `رمز الخروج ${code}`,
    tests: {
      failed: count => `${number(count)} فشلت`,
      passed: count => `${number(count)} نجحت`,
      skipped: count => `${number(count)} تُخطّيت`,
      more: count => `و${number(count)} أخرى`,
    },
    libraryFrames: count => `⋯ ${lines(count)} من المكتبات`,
    rows: count => plural(count, { one: 'صف واحد', two: 'صفان', few: 'صفوف', many: 'صفًا', other: 'صف' }),
    showRows: count => `عرض ${plural(count, { one: 'صف واحد', two: 'صفين', few: 'صفوف', many: 'صفًا', other: 'صف' })}`,
    copyCsv: 'نسخ بصيغة CSV',
    headers: count => plural(count, { one: 'ترويسة واحدة', two: 'ترويستان', few: 'ترويسات', other: 'ترويسة' }),
    compare: name => (name === undefined ? 'مقارنة قبل وبعد' : `مقارنة قبل وبعد: ${name}`),
    compared: percent => `${number(percent)}% قبل، ${number(100 - percent)}% بعد`,
    before: 'قبل',
    after: 'بعد',
    sideBySide: 'جنبًا إلى جنب',
    cited: (at, title) => `المصدر ${number(at)}: ${title}`,
  },
  approval: {
    needsYou: 'بانتظارك',
    lasting: 'لا يمكن التراجع عنه',
    changeCount: count =>
      plural(count, { one: 'تغيير واحد', two: 'تغييران', few: 'تغييرات', many: 'تغييرًا', other: 'تغيير' }),
    fileChange: (operation, from) =>
      operation === 'add' ? 'ملف جديد' : operation === 'delete' ? 'يحذف الملف' : `منقول من ${from}`,
    keep: 'إبقاء',
    leaveOut: 'استبعاد',
    nothingKept: 'استُبعدت كل التغييرات. أبقِ واحدًا أو ارفض الاستدعاء.',
    approvePart: (kept, all, hidden) =>
      `السماح بـ ${number(kept)} من ${number(all)}${hidden > 0 ? ` (${lines(hidden)} غير معروضة)` : ''}`,
    effects: {
      read: 'يقرأ فقط',
      write: 'يغيّر ملفات',
      exec: 'يشغّل أمرًا',
      net: 'يستخدم الشبكة',
      interrupted: 'انقطع وقد يعمل مرتين',
    },
    foreign: 'هذا الاستدعاء مكتوب في المستند، ولم يقم به نموذج في هذا التشغيل.',
    question: (action, subject) => `${action}${subject === undefined ? '' : ` ${subject}`}؟`,
    rule: rule => `السؤال بسبب القاعدة ${rule}.`,
    change: (operation, from, to, count) => {
      const size = count === undefined ? '' : ` (${lines(count)})`
      if (operation === 'move') return `ينقل ${from} إلى ${to}${size}.`
      return `${operation === 'delete' ? 'يحذف' : operation === 'add' ? 'ينشئ' : 'يغيّر'} ${from}${size}.`
    },
    applies: at => `ما زال صالحًا، فُحص ${minute(at)}`,
    fails: (problem, didApply) => `${didApply ? 'لم يعد هذا صالحًا.' : 'سيفشل هذا.'} ${problem}`.trim(),
    changed: 'تغيّر ملف منذ طرح السؤال، فسيفعل الاستدعاء شيئًا آخر.',
    denyStale: 'رفض وطلب القراءة من جديد',
    staleReason: problem => `${problem} Read the file again.`,
    approve: 'سماح',
    approveCut: count => `سماح (${lines(count)} غير معروضة)`,
    approveEdited: 'سماح مع التعديلات',
    deny: 'رفض…',
    denyNow: 'رفض',
    cancel: 'إلغاء',
    edit: 'تعديل المُدخل',
    always: 'دائمًا في هذا التشغيل',
    alwaysTool: name => `كل استدعاء لـ ${name}`,
    untilRunEnds: 'حتى ينتهي هذا التشغيل',
    whyNot: 'لماذا لا؟ يقرأ النموذج هذا',
    putBack: 'استعادة',
    modelWrote: 'كتب النموذج',
    editedField: name => `${rtl}${name} · معدّل`,
    invalidField: name => `${rtl}${name} ليس JSON صالحًا.`,
    hasHidden: name => `في ${name} أحرف لا يظهرها الحقل:`,
    shownOnly: 'هذا العرض للقراءة فقط ولا يمكن الإجابة هنا.',
    sending: 'جارٍ الإرسال…',
    refused: error => `لم تُقبل هذه الإجابة: ${error}`,
  },
  askUser: {
    needsAnswer: 'بانتظارك · سؤال',
    other: 'شيء آخر',
    answer: 'إجابتك',
    send: 'إجابة',
    answered: 'أجبت',
  },
  widget: {
    thinking: 'يفكر…',
    writing: 'يكتب الإجابة',
    noCallYet: 'لا استدعاء بعد.',
    used: count =>
      `استُخدمت ${plural(count, { one: 'أداة واحدة', two: 'أداتان', few: 'أدوات', many: 'أداة', other: 'أداة' })}`,
    notRun: count => `${number(count)} لم تُشغّل`,
    failed: count => `${number(count)} فشلت`,
  },
  run: {
    working: time => (time === undefined ? 'يعمل' : `يعمل منذ ${time}`),
    lastSeen: time => (time === undefined ? 'يعمل، لا أخبار' : `يعمل، آخر خبر عند ${time}`),
    worked: time => (time === undefined ? 'عمل' : `عمل لمدة ${time}`),
    stopped: time => (time === undefined ? 'توقف' : `توقف بعد ${time}`),
    waited: time => `انتظرك ${time}`,
    notch: time => `أنت · ${time}`,
    calls,
    failed: count => `${number(count)} فشلت`,
    needYou,
    filesChanged: count => `تغيّر ${files(count)}`,
    openAll: 'فتح الكل',
  },
  box: {
    conversation: 'المحادثة',
    you: 'أنت',
    assistant: 'المساعد',
    role: role => role,
    empty: 'لا رسائل بعد',
    emptyHint: 'اكتب رسالة للبدء',
    latest: 'الأحدث',
    latestNeedsYou: 'الأحدث · بانتظارك',
    placeholder: 'اكتب رسالة',
    placeholderRunning: 'اكتب الرسالة التالية',
    placeholderDenies: 'قل ما يجب فعله بدلًا من ذلك',
    placeholderAnswers: 'أجب عن السؤال',
    composer: 'رسالة',
    send: 'إرسال',
    queue: 'إضافة إلى الانتظار',
    deny: 'رفض مع رسالة',
    stop: 'إيقاف',
    escapeAgain: 'اضغط Esc مرة أخرى للإيقاف',
    sendKey: withControl => (withControl ? 'Ctrl Enter' : 'Enter'),
    hintQueues: key => `${rtl}${key} للانتظار`,
    hintSteers: key => `${rtl}${key} للانتظار · Alt ${key} للتوجيه`,
    steer: 'توجيه',
    steering: 'تنضم في الخطوة التالية',
    hintDenies: (key, count) => `${rtl}${key} يرفض ${count === 1 ? 'الاستدعاء' : `كل ${number(count)}`} بهذا النص`,
    attach: 'إرفاق ملفات',
    removeFile: name => `إزالة ${name}`,
    tooManyFiles: most => `الحد الأقصى للرسالة: ${files(most)}.`,
    tooLargeFile: (name, most) => `${rtl}${name} كبير جدًا: الحد الأقصى لملفات الرسالة ${bytes(most)}.`,
    dropFiles: 'أفلت الملفات لإرفاقها',
    queued: 'تُرسل بعد انتهاء هذا التشغيل',
    editQueued: text => `تعديل «${shorten(text)}»`,
    sendNow: text => `إرسال «${shorten(text)}» الآن`,
    removeQueued: text => `إزالة «${shorten(text)}»`,
    needYou,
    review: 'مراجعة',
    reviewTitle: needYou,
    approveAll: count => (count === 1 ? 'سماح' : `السماح لكل ${number(count)}`),
    close: 'إغلاق',
    lost: 'انقطع الاتصال.',
    runGoesOn: seconds => `التشغيل مستمر. محاولة أخرى بعد ${number(seconds)}\u00a0ث`,
    serverGone: time => `الخادم لا يستجيب. ما تراه يعود إلى ${time}.`,
    loading: 'جارٍ تحميل المحادثة',
    loadingOlder: 'جارٍ تحميل رسائل أقدم…',
    showOlder: 'عرض رسائل أقدم',
    tryNow: 'حاول الآن',
    failed: 'فشل التشغيل.',
    retry: 'إعادة المحاولة',
    copyDetails: 'نسخ التفاصيل',
    details: 'التفاصيل',
    continueRun: 'متابعة',
    find: 'بحث في المحادثة',
    findHere: 'بحث هنا',
    findNext: 'التطابق التالي',
    findPrevious: 'التطابق السابق',
    found: (at, count) => (count === 0 ? 'لا تطابق' : `${number(at)} من ${number(count)}`),
    copyConversation: 'نسخ المحادثة',
    editMessage: 'تعديل',
    editing: 'تعدّل رسالة سابقة. إرسالها ينشئ مستندًا جديدًا ويبقى هذا كما هو.',
    editingHere: 'تعدّل رسالة سابقة. إرسالها يستبدل الرسالة وكل ما بعدها.',
    cancelEdit: 'إلغاء',
    tryAgain: 'حاول مرة أخرى',
    branch: (at, count) => `الإجابة ${number(at)} من ${number(count)}`,
    branchPlace: (at, count) => `${number(at)}/${number(count)}`,
    previousBranch: 'الإجابة السابقة',
    nextBranch: 'الإجابة التالية',
    file: name => `ملف ${name}`,
    source: 'المصدر',
    notice: 'لاحظ Argot',
    correction: text => `من Argot إلى النموذج: ${text}`,
    summary: replaces => `لُخّصت الجولات 1–${number(replaces)} للنموذج`,
    announce: {
      started: 'بدأت الإجابة',
      asks: call => `${call}: يحتاج إلى موافقتك`,
      question: question => (question === undefined ? 'سؤال لك' : `سؤال لك: ${question}`),
      complete: 'اكتملت الإجابة',
      stopped: 'توقفت الإجابة',
      runFailed: 'فشلت الإجابة',
      waiting: 'الإجابة بانتظارك',
    },
    titleMark: '● بانتظارك – ',
  },
  pickers: {
    model: name => `النموذج: ${name}`,
    usualModel: 'الافتراضي',
    otherModel: 'نموذج آخر…',
    otherModelName: 'اسمه بالشكل PROVIDER:NAME',
    useModel: 'استخدام',
    cancel: 'إلغاء',
    lookingForModels: 'جارٍ البحث عن النماذج…',
    threads: 'المحادثات',
    noThreads: 'لا محادثات بعد',
    threadMenu: title => `المزيد: ${title}`,
    rename: 'إعادة تسمية',
    newTitle: title => `عنوان جديد لـ ${title}`,
    threadStates: { running: 'يعمل', waiting: 'بانتظارك', failed: 'فشل' },
  },
}
